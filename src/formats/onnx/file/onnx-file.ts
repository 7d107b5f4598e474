/**
 * The messages of an ONNX file that a model needs, from their fields in onnx.proto:
 *
 *   ModelProto       7 graph
 *   GraphProto       1 nodes, 5 initializers, 11 inputs, 12 outputs, 15 sparse initializers
 *   NodeProto        1 inputs, 2 outputs, 3 name, 4 operator, 5 attributes, 7 domain
 *   AttributeProto   1 name, 2 float, 3 int, 4 text, 5 tensor, 6 graph, 7 floats, 8 ints, 9 texts
 *   ValueInfoProto   1 name, 2 type  (1 tensor  (1 entry type, 2 shape  (1 dimensions  (1 length))))
 *
 * Graphs within attributes (If, Loop) are not read: an operator that has one is refused by its name.
 */
import { ElsewiseError } from '../../../documents/error.js';
import { type ConstantTensor, readTensor } from './onnx-tensor.js';
import { ROOT, WireReader } from './wire-reader.js';

export interface OnnxAttribute {
  readonly name: string;
  readonly float: number;
  readonly int: number;
  readonly text: string;
  readonly tensor?: ConstantTensor;
  readonly floats: readonly number[];
  readonly ints: readonly number[];
  readonly texts: readonly string[];
}

export interface OnnxNode {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly name: string;
  readonly operator: string;
  readonly domain: string;
  readonly attributes: ReadonlyMap<string, OnnxAttribute>;
  /** The place of the node in the file. */
  readonly path: string;
}

export interface OnnxPort {
  readonly name: string;
  /** The type of the entries of a tensor; 0: no tensor. */
  readonly type: number;
  /** By dimension; 0: any length. */
  readonly shape: readonly number[];
}

export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly constants: ReadonlyMap<string, ConstantTensor>;
  /** Without those that have a constant. */
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
}

export function readOnnxFile(bytes: Uint8Array): OnnxGraph {
  let graph: Uint8Array | undefined;
  eachField(bytes, { 7: (reader) => (graph = reader.chunk()) });
  if (!graph) throw new ElsewiseError('bad-document', 'is no ONNX file: it has no graph', ROOT);
  return readGraph(graph);
}

type FieldReaders = Readonly<Record<number, (reader: WireReader) => void>>;

/** Fields that are not listed are skipped. */
function eachField(bytes: Uint8Array, fields: FieldReaders): void {
  for (const reader = new WireReader(bytes); reader.next(); ) {
    const read = Object.hasOwn(fields, reader.field) ? fields[reader.field] : undefined;
    if (read) read(reader);
    else reader.skip();
  }
}

function readGraph(bytes: Uint8Array): OnnxGraph {
  const nodes: OnnxNode[] = [];
  const constants = new Map<string, ConstantTensor>();
  const [inputs, outputs]: OnnxPort[][] = [[], []];
  eachField(bytes, {
    1: (reader) => nodes.push(readNode(reader.chunk(), nodes.length)),
    5: (reader) => {
      const tensor = readTensor(reader.chunk(), `${ROOT}.graph.initializer[${constants.size}]`);
      constants.set(tensor.name, tensor);
    },
    11: (reader) => inputs.push(readPort(reader.chunk())),
    12: (reader) => outputs.push(readPort(reader.chunk())),
    15: () => {
      throw new ElsewiseError('unsupported', 'this importer does not support sparse initializers', `${ROOT}.graph`);
    },
  });
  return { nodes, constants, inputs: inputs.filter(({ name }) => !constants.has(name)), outputs };
}

function readNode(bytes: Uint8Array, index: number): OnnxNode {
  const path = `${ROOT}.graph.node[${index}]`;
  const [inputs, outputs]: string[][] = [[], []];
  const texts = { name: '', operator: '', domain: '' };
  const attributes = new Map<string, OnnxAttribute>();
  eachField(bytes, {
    1: (reader) => inputs.push(reader.text()),
    2: (reader) => outputs.push(reader.text()),
    3: (reader) => (texts.name = reader.text()),
    4: (reader) => (texts.operator = reader.text()),
    5: (reader) => {
      const attribute = readAttribute(reader.chunk(), path);
      attributes.set(attribute.name, attribute);
    },
    7: (reader) => (texts.domain = reader.text()),
  });
  return { inputs, outputs, attributes, path, ...texts };
}

function readAttribute(bytes: Uint8Array, path: string): OnnxAttribute {
  const own = { name: '', float: 0, int: 0, text: '' };
  const [floats, ints]: number[][] = [[], []];
  const texts: string[] = [];
  let tensor: ConstantTensor | undefined;
  eachField(bytes, {
    1: (reader) => (own.name = reader.text()),
    2: (reader) => (own.float = reader.float()),
    3: (reader) => (own.int = reader.int()),
    4: (reader) => (own.text = reader.text()),
    5: (reader) => (tensor = readTensor(reader.chunk(), path)),
    7: (reader) => reader.floats(floats),
    8: (reader) => reader.ints(ints),
    9: (reader) => texts.push(reader.text()),
  });
  return { ...own, floats, ints, texts, tensor };
}

function readPort(bytes: Uint8Array): OnnxPort {
  let [name, type] = ['', 0];
  const shape: number[] = [];
  const dimension = (reader: WireReader) => {
    const at = shape.push(0) - 1;
    eachField(reader.chunk(), { 1: (length) => (shape[at] = length.int()) });
  };
  const tensor: FieldReaders = {
    1: (reader) => (type = reader.int()),
    2: (reader) => eachField(reader.chunk(), { 1: dimension }),
  };
  eachField(bytes, {
    1: (reader) => (name = reader.text()),
    2: (reader) => eachField(reader.chunk(), { 1: (own) => eachField(own.chunk(), tensor) }),
  });
  return { name, type, shape };
}
