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

/** Doubles in order, as whole numbers: neighbours differ by one, and 0 is 0. */
function placeOf(x: number): bigint {
  f64[0] = x;
  return i64[0] < 0n ? -(i64[0] & 0x7fffffffffffffffn) : i64[0];
}

function doubleAt(place: bigint): number {
  i64[0] = place < 0n ? -place : place;
  return place < 0n ? -f64[0] : f64[0];
}

const LAST_PLACE = placeOf(Number.MAX_VALUE);

/**
 * The last finite double at which a condition holds, for a condition that holds up to some number and not beyond. Infinity: the condition
 * holds everywhere; -Infinity: nowhere. The search widens from `guess`, so a good guess needs few evaluations.
 */
export function lastDouble(holds: (x: number) => boolean, guess: number): number {
  if (holds(Number.MAX_VALUE)) return Infinity;
  if (!holds(-Number.MAX_VALUE)) return -Infinity;
  let low = placeOf(Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, guess)));
  let high = low;
  for (let width = 1n; !holds(doubleAt(low)); width *= 2n) {
    high = low;
    low -= width;
    if (low < -LAST_PLACE) low = -LAST_PLACE;
  }
  for (let width = 1n; low === high || holds(doubleAt(high)); width *= 2n) {
    low = high;
    high += width;
    if (high > LAST_PLACE) high = LAST_PLACE;
  }
  while (high - low > 1n) {
    const middle = low + (high - low) / 2n;
    if (holds(doubleAt(middle))) low = middle;
    else high = middle;
  }
  return doubleAt(low);
}

/** Beyond these exponents a product of two units could overflow. */
const LARGEST_EXPONENT = 400;

/** The power of two nearest to a positive number on a logarithmic scale, within the range of safe products. */
export function nearestPowerOfTwo(x: number): number {
  const exponent = Math.round(Math.log2(x));
  return 2 ** Math.min(LARGEST_EXPONENT, Math.max(-LARGEST_EXPONENT, exponent));
}
