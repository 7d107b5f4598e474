/**
 * The parts of a family that threads share, by name: numbers that were read and checked once, in memory that all threads see.
 *
 * A family lists in `shares` the parameters that its parts replace. A packed model travels without these parameters (packed-model.ts), and
 * the family gets the parts instead.
 */
import { sharedFloats } from '../linalg/shared.js';

export type SharedPart = Float64Array | Int32Array | Uint8Array | number | boolean;
export type SharedParts = Readonly<Record<string, SharedPart>>;

/** Rows of equal length, concatenated. */
export function shareRows(rows: readonly ArrayLike<number>[]): Float64Array {
  const width = rows[0]?.length ?? 0;
  const flat = sharedFloats(rows.length * width);
  for (const [r, row] of rows.entries()) flat.set(row, r * width);
  return flat;
}

/** The rows of a shared array, without a copy. */
export const rowsOf = (flat: Float64Array, width: number): Float64Array[] =>
  Array.from({ length: width ? flat.length / width : 0 }, (_, r) => flat.subarray(r * width, (r + 1) * width));

/** The memory of the parts, counted once for all threads. */
export function partBytes(parts: SharedParts | null): number {
  let bytes = 0;
  for (const part of Object.values(parts ?? {})) if (ArrayBuffer.isView(part)) bytes += part.byteLength;
  return bytes;
}
