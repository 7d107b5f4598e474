/**
 * The hash by which CatBoost knows a word: the lower 32 bits of CityHash64 (version 1.0) of its bytes in UTF-8. Numbers are whole numbers
 * modulo 2^64; a word of up to 16, 32 or 64 bytes is hashed as a whole, a longer word in blocks of 64 bytes.
 */
const MASK = (1n << 64n) - 1n;
const [K0, K1, K2, K3] = [0xc3a5c85c97cb3127n, 0xb492b66fbe98f273n, 0x9ae16a3b2f90404fn, 0xc949d7c7509e6557n];
const MULTIPLIER = 0x9ddfea08eb382d69n;
const BLOCK = 64;

type Pair = readonly [bigint, bigint];
/** Eight bytes of the word, from a place on. */
type Read = (at: number) => bigint;

const wrap = (value: bigint): bigint => value & MASK;
const rotate = (value: bigint, by: bigint): bigint => wrap((value >> by) | (value << (64n - by)));
const mix = (value: bigint): bigint => value ^ (value >> 47n);

function join(a: bigint, b: bigint): bigint {
  const first = mix(wrap((a ^ b) * MULTIPLIER));
  return wrap(mix(wrap((b ^ first) * MULTIPLIER)) * MULTIPLIER);
}

/** 32 bytes from a place on, with two seeds. */
function weak(read: Read, at: number, first: bigint, second: bigint): Pair {
  const a = wrap(first + read(at));
  const sum = wrap(a + read(at + 8) + read(at + 16));
  const b = wrap(rotate(wrap(second + a + read(at + 24)), 21n) + rotate(sum, 44n));
  return [wrap(sum + read(at + 24)), wrap(b + a)];
}

function upTo16(bytes: Uint8Array, view: DataView, read: Read): bigint {
  const length = bytes.length;
  const size = BigInt(length);
  if (length > 8) {
    const last = read(length - 8);
    return join(read(0), rotate(wrap(last + size), size)) ^ last;
  }
  if (length >= 4) {
    const [first, last] = [0, length - 4].map((at) => BigInt(view.getUint32(at, true)));
    return join(size + (first << 3n), last);
  }
  if (!length) return K2;
  const [first, middle, last] = [0, length >> 1, length - 1].map((at) => BigInt(bytes[at]));
  return wrap(mix(wrap((first + (middle << 8n)) * K2) ^ wrap((size + (last << 2n)) * K3)) * K2);
}

function upTo32(length: number, read: Read): bigint {
  const [a, b] = [wrap(read(0) * K1), read(8)];
  const [c, d] = [wrap(read(length - 8) * K2), wrap(read(length - 16) * K0)];
  return join(wrap(rotate(wrap(a - b), 43n) + rotate(c, 30n) + d), wrap(a + rotate(b ^ K3, 20n) - c + BigInt(length)));
}

/** Four numbers and their sum's way: one half of a word of up to 64 bytes. */
function half(start: bigint, second: bigint, third: bigint, last: bigint): Pair {
  const a = wrap(start + second);
  const sum = wrap(a + third);
  const turned = wrap(rotate(start, 37n) + rotate(a, 7n));
  return [wrap(sum + last), wrap(rotate(wrap(start + last), 52n) + rotate(sum, 31n) + turned)];
}

function upTo64(length: number, read: Read): bigint {
  const end = (distance: number) => read(length - distance);
  const v = half(wrap(read(0) + (BigInt(length) + end(16)) * K0), read(8), read(16), read(24));
  const w = half(wrap(read(16) + end(32)), end(24), end(16), end(8));
  const r = mix(wrap((v[0] + w[1]) * K2 + (w[0] + v[1]) * K0));
  return wrap(mix(wrap(r * K0 + v[1])) * K2);
}

function inBlocks(length: number, read: Read): bigint {
  const size = BigInt(length);
  let y = read(length - 16) ^ K1;
  let v = weak(read, length - 64, size, y);
  let w = weak(read, length - 32, wrap(size * K1), K0);
  let z = wrap((read(length - 56) ^ K0) + mix(v[1]) * K1);
  let x = wrap(rotate(wrap(z + read(0)), 39n) * K1);
  y = wrap(rotate(y, 33n) * K1);
  for (let at = 0; at < length - 1 - ((length - 1) % BLOCK); at += BLOCK) {
    x = wrap(rotate(wrap(x + y + v[0] + read(at + 16)), 37n) * K1) ^ w[1];
    y = wrap(rotate(wrap(y + v[1] + read(at + 48)), 42n) * K1) ^ v[0];
    z = rotate(z ^ w[0], 33n);
    v = weak(read, at, wrap(v[1] * K1), wrap(x + w[0]));
    w = weak(read, at + 32, wrap(z + w[1]), y);
    [x, z] = [z, x];
  }
  return join(wrap(join(v[0], w[0]) + mix(y) * K1 + z), wrap(join(v[1], w[1]) + x));
}

function cityHash(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read: Read = (at) => view.getBigUint64(at, true);
  const { length } = bytes;
  if (length <= 16) return upTo16(bytes, view, read);
  if (length <= 32) return upTo32(length, read);
  return length <= BLOCK ? upTo64(length, read) : inBlocks(length, read);
}

export const wordHash = (word: string): number => Number(cityHash(new TextEncoder().encode(word)) & 0xffffffffn);
