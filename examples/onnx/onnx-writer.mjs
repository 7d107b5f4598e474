/**
 * A writer of small ONNX files, without any library: the protobuf messages of onnx.proto3 that a network of dense layers needs.
 *
 *   writeModel({ inputs, nodes, weights, outputs })  ->  bytes
 */

export const FLOAT = 1;
export const INT64 = 7;
export const STRING = 8;

const VARINT = 0;
const BYTES = 2;

function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const key = (field, wire) => varint((field << 3) | wire);
const number = (field, value) => Buffer.concat([key(field, VARINT), varint(value)]);
const bytes = (field, value) => Buffer.concat([key(field, BYTES), varint(value.length), value]);
const text = (field, value) => bytes(field, Buffer.from(value));
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const EXTERNAL = 1;

/** A tensor of weights, row by row. `location`: the file that has them in place of `data`. */
function tensor({ name, type = FLOAT, shape, data, location }) {
  const head = [...shape.map((size) => number(1, size)), number(2, type), text(8, name)];
  if (location) return message(5, ...head, message(13, text(1, 'location'), text(2, location)), number(14, EXTERNAL));
  const entries = type === INT64 ? BigInt64Array.from(data, BigInt) : Float32Array.from(data);
  return message(5, ...head, bytes(9, Buffer.from(entries.buffer)));
}

/** A named input or output; a size that is a text may be any. */
function value(field, { name, type = FLOAT, shape }) {
  const sizes = shape.map((size) => message(1, typeof size === 'number' ? number(1, size) : text(2, size)));
  return message(field, text(1, name), message(2, message(1, number(1, type), message(2, ...sizes))));
}

const ATTRIBUTE_INT = 2;

function node({ type, inputs, outputs, attributes = {} }) {
  const entries = Object.entries(attributes).map(([name, int]) =>
    message(5, text(1, name), number(3, int), number(20, ATTRIBUTE_INT)),
  );
  return message(
    1,
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, type),
    ...entries,
  );
}

export function writeModel({ inputs, nodes, weights, outputs }) {
  const graph = message(
    7,
    ...nodes.map(node),
    text(2, 'graph'),
    ...weights.map(tensor),
    ...inputs.map((input) => value(11, input)),
    ...outputs.map((output) => value(12, output)),
  );
  return Buffer.concat([number(1, 8), text(2, 'elsewise'), graph, message(8, text(1, ''), number(2, 13))]);
}
