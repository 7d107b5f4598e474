/**
 * A column of numbers in few bytes, exact to the bit. A number is kept as the 64 bits of its difference (XOR) to a guess. The default guess
 * is 0. A good guess leaves zeros. The column is then written as one of
 *
 *   same      one number for all
 *   decimals  k = x * 10^D as a whole number, less the smallest k; D <= 6 and k below 2^32 above the smallest
 *   bits      the 64 bits unchanged
 *
 * Decimals and bits are written as planes: the first byte of all numbers, the second byte of all numbers, and so on. A plane of equal bytes
 * is one byte. The leading bytes of a column are similar, and planes put them side by side for the compressor.
 */
import type { ByteReader, ByteWriter } from './byte-streams.js';

/** Words of 32 bits: a number is two, the lower one first. */
const WORDS = 2;
const BYTES_PER_WORD = 4;
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
const LARGEST = 2 ** 32 - 1;

const KIND = { same: 0, decimals: 1, bits: 2 } as const;
const PLANE = { same: 0, listed: 1 } as const;

const number = new Float64Array(1);
const bits = new Uint32Array(number.buffer);
const guessed = new Float64Array(1);
const guessedBits = new Uint32Array(guessed.buffer);

export class NumberColumn {
  #words = new Uint32Array(1 << 8);
  length = 0;

  /** `null`: the JSON of a number that is not finite. */
  push(value: number | null, guess = 0): void {
    const at = WORDS * this.length++;
    if (at >= this.#words.length) this.#grow();
    number[0] = value ?? Number.NaN;
    guessed[0] = guess;
    this.#words[at] = bits[0] ^ guessedBits[0];
    this.#words[at + 1] = bits[1] ^ guessedBits[1];
  }

  write(out: ByteWriter): void {
    const words = this.#words.subarray(0, WORDS * this.length);
    if (isSame(words)) {
      out.byte(KIND.same);
      for (let word = 0; word < WORDS; word++) out.uint32(words[word] ?? 0);
      return;
    }
    const decimals = asDecimals(new Float64Array(words.buffer, 0, this.length));
    if (decimals) {
      out.byte(KIND.decimals);
      out.byte(decimals.digits);
      out.float64(decimals.smallest);
      writePlanes(decimals.above, 1, out);
    } else {
      out.byte(KIND.bits);
      writePlanes(words, WORDS, out);
    }
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#words.length);
    larger.set(this.#words);
    this.#words = larger;
  }
}

/** Gives the numbers of a column one after the other. */
export class NumberReader {
  readonly #words: Uint32Array;
  #next = 0;

  constructor(input: ByteReader, length: number) {
    this.#words = readWords(input, length);
  }

  /** `guess`: the same guess as for `push`. */
  next(guess = 0): number {
    const at = WORDS * this.#next++;
    if (at >= this.#words.length) throw new RangeError('the column has no more numbers');
    guessed[0] = guess;
    bits[0] = this.#words[at] ^ guessedBits[0];
    bits[1] = this.#words[at + 1] ^ guessedBits[1];
    return number[0];
  }
}

function isSame(words: Uint32Array): boolean {
  for (let i = WORDS; i < words.length; i++) if (words[i] !== words[i - WORDS]) return false;
  return true;
}

interface Decimals {
  readonly digits: number;
  readonly smallest: number;
  /** k less the smallest k. */
  readonly above: Uint32Array;
}

function asDecimals(values: Float64Array): Decimals | undefined {
  let digits = 0;
  let smallest = Infinity;
  let largest = -Infinity;
  for (const value of values) {
    if (Object.is(value, -0)) return undefined;
    // A number with few digits also has a representation with more digits, so the earlier numbers need no second check.
    while (Math.round(value * POWERS[digits]) / POWERS[digits] !== value)
      if (++digits === POWERS.length) return undefined;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
  }
  const power = POWERS[digits];
  const least = Math.round(smallest * power);
  if (Math.round(largest * power) - least > LARGEST || Math.abs(least) > LARGEST) return undefined;
  return { digits, smallest: least, above: Uint32Array.from(values, (value) => Math.round(value * power) - least) };
}

function writePlanes(words: Uint32Array, wordsEach: number, out: ByteWriter): void {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  const stride = BYTES_PER_WORD * wordsEach;
  for (let plane = 0; plane < stride; plane++) {
    const first = bytes[plane];
    let at = plane;
    while (at < bytes.length && bytes[at] === first) at += stride;
    if (at >= bytes.length) {
      out.byte(PLANE.same);
      out.byte(first);
    } else {
      out.byte(PLANE.listed);
      out.strided(bytes, plane, stride);
    }
  }
}

function readPlanes(words: Uint32Array, wordsEach: number, input: ByteReader): void {
  const bytes = new Uint8Array(words.buffer);
  const stride = BYTES_PER_WORD * wordsEach;
  for (let plane = 0; plane < stride; plane++) {
    if (input.byte() === PLANE.same) {
      const first = input.byte();
      for (let at = plane; at < bytes.length; at += stride) bytes[at] = first;
    } else {
      const listed = input.take(bytes.length / stride);
      for (let i = 0; i < listed.length; i++) bytes[plane + i * stride] = listed[i];
    }
  }
}

function readWords(input: ByteReader, length: number): Uint32Array {
  const words = new Uint32Array(WORDS * length);
  const kind = input.byte();
  if (kind === KIND.bits) {
    readPlanes(words, WORDS, input);
  } else if (kind === KIND.same) {
    const same = [input.uint32(), input.uint32()];
    for (let i = 0; i < words.length; i++) words[i] = same[i % WORDS];
  } else {
    const power = POWERS[input.byte()];
    const smallest = input.float64();
    const above = new Uint32Array(length);
    readPlanes(above, 1, input);
    const values = new Float64Array(words.buffer);
    for (let i = 0; i < length; i++) values[i] = (above[i] + smallest) / power;
  }
  return words;
}
