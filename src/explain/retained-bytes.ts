/**
 * The memory that a value retains: the sum over all values reachable through fields, elements and entries. V8 does not report this number.
 * The sizes are those of V8's 64-bit layout: a header, and 8 bytes for each slot.
 *
 * Not counted are memory that threads share, values of another owner (`known`), and variables in closures. A prepared solver
 * therefore holds its arrays in fields. test/unit/explain/plan-memory.test.ts compares with the real heap.
 */

const SLOT = 8;
/** A field that holds a fraction has a separate heap number. */
const FIELD = 16;
const OBJECT = 40;
const ENTRY = 40;
const FUNCTION = 120;
const TYPED_ARRAY = 220;
/** Up to this size V8 keeps the numbers of a typed array in the object. Reading `buffer` of such an array would allocate a buffer. */
const INLINE_BYTES = 64;
const ERROR = 1500;

type Visit = (part: unknown) => void;

/** Adds the counted objects to `own`. Objects in `known` are skipped, with everything reachable from them. */
export function retainedBytes(
  root: object,
  known: readonly Pick<ReadonlySet<object>, 'has'>[] = [],
  own: Set<object> = new Set(),
): number {
  const open: object[] = [];
  const visit: Visit = (value) => {
    if (typeof value === 'object' ? value === null : typeof value !== 'function') return;
    const part = value as object;
    if (own.has(part)) return;
    for (const objects of known) if (objects.has(part)) return;
    own.add(part);
    open.push(part);
  };
  visit(root);
  let bytes = 0;
  for (let part = open.pop(); part; part = open.pop()) bytes += bytesOf(part, visit);
  return bytes;
}

function bytesOf(value: object, visit: Visit): number {
  if (ArrayBuffer.isView(value)) return typedBytes(value);
  if (Array.isArray(value)) return arrayBytes(value, visit);
  if (value instanceof Map || value instanceof Set) return collectionBytes(value, visit);
  return objectBytes(value, visit);
}

/** Views do not overlap here, so each counts its own part of the buffer. */
function typedBytes(array: ArrayBufferView): number {
  const isShared = array.byteLength > INLINE_BYTES && array.buffer instanceof SharedArrayBuffer;
  return TYPED_ARRAY + (isShared ? 0 : array.byteLength);
}

/** An array that starts with a number contains only numbers: documents have long ones. */
function arrayBytes(array: readonly unknown[], visit: Visit): number {
  if (typeof array[0] !== 'number') for (const part of array) visit(part);
  return OBJECT + SLOT * array.length;
}

function collectionBytes(collection: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>, visit: Visit): number {
  let bytes = OBJECT + ENTRY * collection.size;
  for (const [key, part] of collection.entries()) {
    if (typeof key === 'string') bytes += key.length;
    visit(key);
    visit(part);
  }
  return bytes;
}

function objectBytes(value: object, visit: Visit): number {
  let fields = 0;
  for (const key in value) {
    visit((value as Record<string, unknown>)[key]);
    fields++;
  }
  return headBytes(value) + FIELD * fields;
}

function headBytes(value: object): number {
  if (typeof value === 'function') return FUNCTION;
  return value instanceof Error ? ERROR : OBJECT;
}
