/**
 * The identity of a row under a plan: the values that the model reads and the target. The id, the spelling of a number and the format do
 * not matter: `1`, `1.0` in CSV and `1` in JSON are one row.
 *
 *   key = first 16 bytes of SHA-256(values as float64, then the target as canonical JSON)
 *
 * An unreadable row has no key, because its answer quotes the row. The hash is cryptographic: nobody can construct a row with the key of
 * another person's row.
 */
import { hash } from 'node:crypto';
import { canonicalJson } from '../../documents/digest.js';
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../../models/load.js';
import { readRecord } from '../../models/read-row.js';
import { KEY_BYTES } from '../../store/known-rows/known-row-store.js';
import type { ParsedRow } from './row.js';

/** Writes the key of a parsed row from its values by feature. */
export function writeKey(values: Float64Array, target: unknown, into: Uint8Array, at: number): void {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const all = target === undefined ? bytes : Buffer.concat([bytes, Buffer.from(canonicalJson(target))]);
  into.set(hash('sha256', all, 'buffer').subarray(0, KEY_BYTES), at);
}

/** Returns the values of rows, in the same memory each time; undefined for an unreadable row. */
export function createValueReader(model: LoadedModel): (row: ParsedRow) => Float64Array | undefined {
  const values = new Float64Array(model.space.features.length);
  return ({ faults, raw }) => {
    if (faults) return undefined;
    try {
      readRecord(model, raw, values);
      return values;
    } catch (error) {
      if (error instanceof ElsewiseError) return undefined;
      throw error;
    }
  };
}
