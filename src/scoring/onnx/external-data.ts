/**
 * Whether an ONNX file is whole. A tensor may keep its numbers in another file (`external_data`). A native runtime reads such files from
 * the working directory of the process, which the operator did not intend, and no SHA-256 of the document covers these files. The walk
 * visits the messages of onnx.proto3 down to their tensors and decodes nothing else.
 */
import { ScorerFault } from '../scorer-fault.js';

/** By message: the fields that lead to tensors, each with its message type. */
const MESSAGES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  model: { 7: 'graph', 20: 'training', 25: 'function' },
  training: { 1: 'graph', 2: 'graph' },
  function: { 7: 'node', 11: 'attribute' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparse' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph', 22: 'sparse', 23: 'sparse' },
  sparse: { 1: 'tensor', 2: 'tensor' },
  tensor: {},
};
/** Fields of a tensor: `external_data` and `data_location`. */
const [EXTERNAL_DATA, DATA_LOCATION] = [13, 14];
/** The depth limit of protobuf readers. */
const MOST_LEVELS = 100;

const [VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES] = [0, 1, 2, 5];

/** Throws if the bytes are no protobuf, or if numbers are stored in another file. */
export function checkWhole(bytes: Uint8Array): void {
  new OnnxWalk(bytes).message('model', bytes.length, 0);
}

class OnnxWalk {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  message(name: string, end: number, level: number): void {
    if (level > MOST_LEVELS || end > this.bytes.length) throw unreadable();
    while (this.at < end) {
      const key = this.varint(end);
      const [field, wire] = [Math.floor(key / 8), key % 8];
      const value = this.value(wire, end);
      if (name === 'tensor' && (field === EXTERNAL_DATA || (field === DATA_LOCATION && value !== 0))) throw elsewhere();
      const inner = MESSAGES[name][field];
      if (wire !== LENGTH) continue;
      if (inner) this.message(inner, this.at + value, level + 1);
      else this.at += value;
    }
    if (this.at !== end) throw unreadable();
  }

  /** For a number: the number. For bytes: their length. */
  private value(wire: number, end: number): number {
    if (wire === VARINT || wire === LENGTH) return this.varint(end);
    if (wire !== EIGHT_BYTES && wire !== FOUR_BYTES) throw unreadable();
    this.at += wire === EIGHT_BYTES ? 8 : 4;
    return 0;
  }

  /** Large numbers lose their last digits, which does not matter for a comparison with 0. */
  private varint(end: number): number {
    for (let value = 0, scale = 1; this.at < end && scale <= 2 ** 63; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
    throw unreadable();
  }
}

const unreadable = () => new ScorerFault('shape', 'the ONNX file cannot be loaded: its bytes are no ONNX model', false);

const elsewhere = () =>
  new ScorerFault('refused', 'the ONNX file keeps numbers in other files, which are not read: export it as one file');
