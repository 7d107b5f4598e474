/** Neighbours of floating-point numbers, in double and in single precision. */
const buffer = new ArrayBuffer(8);
const f64 = new Float64Array(buffer);
const i64 = new BigInt64Array(buffer);
const f32 = new Float32Array(buffer);
const i32 = new Int32Array(buffer);

export function nextUp(x: number): number {
  if (x === Infinity || Number.isNaN(x)) return x;
  if (x === 0) return Number.MIN_VALUE;
  f64[0] = x;
  i64[0] += x > 0 ? 1n : -1n;
  return f64[0];
}

export const nextDown = (x: number): number => -nextUp(-x);

export function nextUpSingle(x: number): number {
  const single = Math.fround(x);
  if (single === Infinity || Number.isNaN(single)) return single;
  if (single === 0) return 1.401298464324817e-45;
  f32[0] = single;
  i32[0] += single > 0 ? 1 : -1;
  return f32[0];
}

export const nextDownSingle = (x: number): number => -nextUpSingle(-x);
