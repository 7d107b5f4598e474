/**
 * Constants of an ONNX file. A tensor has its entries as raw bytes (little-endian), or in a list of its type.
 *
 *   TensorProto   1 dimensions, 2 entry type, 4 floats, 5 ints of 32 bits, 6 texts, 7 ints of 64 bits, 8 name, 9 raw bytes, 10 doubles,
 *                 13 and 14 entries in another file
 */
import { ElsewiseError } from '../../../documents/error.js';
import { WireReader } from './wire-reader.js';

/** Types of entries, by their numbers in onnx.proto. */
export const FLOAT = 1;
export const INT32 = 6;
export const INT64 = 7;
export const STRING = 8;
export const BOOL = 9;
export const DOUBLE = 11;

export interface ConstantTensor {
  readonly name: string;
  readonly type: number;
  readonly dims: readonly number[];
  /** In the order of the rows. Empty for texts. */
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

interface RawEntry {
  readonly size: number;
  read(view: DataView, at: number): number;
}

/** By type: an entry of the raw bytes. */
const RAW: ReadonlyMap<number, RawEntry> = new Map<number, RawEntry>([
  [FLOAT, { size: 4, read: (view, at) => view.getFloat32(at, true) }],
  [2, { size: 1, read: (view, at) => view.getUint8(at) }],
  [3, { size: 1, read: (view, at) => view.getInt8(at) }],
  [INT32, { size: 4, read: (view, at) => view.getInt32(at, true) }],
  [INT64, { size: 8, read: (view, at) => Number(view.getBigInt64(at, true)) }],
  [BOOL, { size: 1, read: (view, at) => view.getUint8(at) }],
  [DOUBLE, { size: 8, read: (view, at) => view.getFloat64(at, true) }],
]);

export function readTensor(bytes: Uint8Array, path: string): ConstantTensor {
  let [name, type] = ['', 0];
  let raw: Uint8Array | undefined;
  const [dims, numbers]: number[][] = [[], []];
  const texts: string[] = [];
  const reader = new WireReader(bytes);
  const fields: Readonly<Record<number, () => void>> = {
    1: () => reader.ints(dims),
    2: () => (type = reader.int()),
    4: () => reader.floats(numbers),
    5: () => reader.ints(numbers),
    6: () => texts.push(reader.text()),
    7: () => reader.ints(numbers),
    8: () => (name = reader.text()),
    9: () => (raw = reader.chunk()),
    10: () => reader.doubles(numbers),
    14: () => refuseOtherFile(reader.int(), name, path),
  };
  while (reader.next()) (Object.hasOwn(fields, reader.field) ? fields[reader.field] : () => reader.skip())();
  const entries = raw ? rawNumbers(raw, type, name, path) : numbers;
  const count = dims.reduce((product, length) => product * length, 1);
  if (count !== (type === STRING ? texts : entries).length)
    throw new ElsewiseError(
      'bad-document',
      `"${name}" has another number of entries than its shape [${dims.slice(0, 8)}]`,
      path,
    );
  return { name, type, dims, numbers: entries, texts };
}

function rawNumbers(raw: Uint8Array, type: number, name: string, path: string): number[] {
  const entry = RAW.get(type);
  if (!entry)
    throw new ElsewiseError(
      'unsupported',
      `"${name}" has entries of type ${type}, which this importer does not support`,
      path,
    );
  if (raw.length % entry.size) throw new ElsewiseError('bad-document', `"${name}" ends within an entry`, path);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return Array.from({ length: raw.length / entry.size }, (_, k) => entry.read(view, k * entry.size));
}

function refuseOtherFile(location: number, name: string, path: string): void {
  if (location === 0) return;
  const message = `the entries of "${name}" are in another file; save the model as one file: onnx.save(model, "one.onnx", save_as_external_data=False)`;
  throw new ElsewiseError('unsupported', message, path);
}
