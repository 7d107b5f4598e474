/** Writes ONNX files for tests, also such as no library would write: the fields of onnx.proto by their numbers. */

type Bytes = number[];

export function varint(value: number): Bytes {
  const bytes: Bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest ? low | 128 : low);
  } while (rest);
  return bytes;
}

export const int = (field: number, value: number): Bytes => [...varint(field * 8), ...varint(value)];

export const chunk = (field: number, bytes: Bytes): Bytes => varint(field * 8 + 2).concat(varint(bytes.length), bytes);

export const text = (field: number, value: string): Bytes => chunk(field, [...new TextEncoder().encode(value)]);

export const float = (field: number, value: number): Bytes => [...varint(field * 8 + 5), ...single(value)];

const single = (value: number): Bytes => [...new Uint8Array(Float32Array.of(value).buffer)];

export type AttributeValue =
  | number
  | string
  | readonly number[]
  | readonly string[]
  | { readonly floats: readonly number[] };

/** A number is an integer, a list of numbers integers. */
function attribute(name: string, value: AttributeValue): Bytes {
  if (typeof value === 'number') return [...text(1, name), ...int(3, value)];
  if (typeof value === 'string') return [...text(1, name), ...text(4, value)];
  if ('floats' in value) return [...text(1, name), ...value.floats.flatMap((entry) => float(7, entry))];
  return [...text(1, name), ...value.flatMap((entry) => (typeof entry === 'number' ? int(8, entry) : text(9, entry)))];
}

export interface NodeForm {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly name?: string;
  readonly domain?: string;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

function node({ operator, inputs, outputs, name = '', domain = '', attributes = {} }: NodeForm): Bytes {
  return [
    ...inputs.flatMap((input) => text(1, input)),
    ...outputs.flatMap((output) => text(2, output)),
    ...text(3, name),
    ...text(4, operator),
    ...Object.entries(attributes).flatMap(([key, value]) => chunk(5, attribute(key, value))),
    ...text(7, domain),
  ];
}

export interface TensorForm {
  readonly name: string;
  readonly dims: readonly number[];
  readonly floats: readonly number[];
}

const tensor = ({ name, dims, floats }: TensorForm): Bytes => [
  ...dims.flatMap((length) => int(1, length)),
  ...int(2, 1),
  ...text(8, name),
  ...chunk(9, floats.flatMap(single)),
];

const port = (name: string, width: number): Bytes => {
  const shape = [...chunk(1, []), ...chunk(1, int(1, width))];
  return [...text(1, name), ...chunk(2, chunk(1, [...int(1, 1), ...chunk(2, shape)]))];
};

export interface GraphForm {
  readonly nodes: readonly NodeForm[];
  readonly constants?: readonly TensorForm[];
  /** Names and numbers of columns, all of 32 bits. */
  readonly inputs?: readonly (readonly [name: string, width: number])[];
  readonly outputs: readonly string[];
}

export function onnxFile({ nodes, constants = [], inputs = [['x', 2]], outputs }: GraphForm): Uint8Array {
  const graph: Bytes[] = [
    ...nodes.map((own) => chunk(1, node(own))),
    ...constants.map((own) => chunk(5, tensor(own))),
    ...inputs.map(([name, width]) => chunk(11, port(name, width))),
    ...outputs.map((name) => chunk(12, text(1, name))),
  ];
  return Uint8Array.from(chunk(7, graph.flat()));
}
