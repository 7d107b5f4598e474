/**
 * What makes two rows of a plan the same row: the values that the model reads and the target asked for. Not the id, nor
 * how the input spells a number, nor its format: `1`, `1.0` in CSV and `1` in JSON are one row.
 *
 *   key = first 16 bytes of SHA-256(values as float64, then the target as canonical JSON)
 *
 * A row that cannot be read has none: its answer quotes what it says. Cryptographic, because nobody may be able to make up a
 * row that is taken for another person's.
 */
import { hash } from 'node:crypto';
import { canonicalJson } from '../documents/digest.js';
import { ElsewiseError } from '../documents/error.js';
import { readValue } from '../models/features.js';
import type { LoadedModel } from '../models/load.js';
import type { ParsedRow } from './row.js';

export const KEY_BYTES = 16;

export function createKeyWriter(model: LoadedModel): (row: ParsedRow, into: Uint8Array, at: number) => void {
  const values = new Float64Array(model.space.features.length);
  const bytes = Buffer.from(values.buffer);
  return (row, into, at) => {
    const key = row.fault ? undefined : digest(row);
    if (key) into.set(key.subarray(0, KEY_BYTES), at);
  };

  function digest({ raw, target }: ParsedRow): Buffer | undefined {
    try {
      for (const feature of model.space.features) values[feature.index] = readValue(feature, raw[feature.index]);
    } catch (error) {
      if (error instanceof ElsewiseError) return undefined;
      throw error;
    }
    const all = target === undefined ? bytes : Buffer.concat([bytes, Buffer.from(canonicalJson(target))]);
    return hash('sha256', all, 'buffer');
  }
}
