/** Arrays in memory that threads share: a thread that receives them gets the same memory, not a copy. */
export const sharedBytes = (length: number) => new Uint8Array(new SharedArrayBuffer(length));
export const sharedInts = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
export const sharedFloats = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length));
