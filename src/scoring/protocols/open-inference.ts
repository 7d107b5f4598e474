/**
 * The Open Inference Protocol (KServe v2; Triton, MLServer, TorchServe, OpenVINO):
 *
 *   GET  url/v2/models/NAME[/versions/V]          names, types and shapes of inputs and outputs, read when the model is opened
 *   POST url/v2/models/NAME[/versions/V]/infer    { "inputs": [{ "name", "shape", "datatype", "data" }], "outputs": [{ "name" }] }
 *   200  { "model_name", "model_version", "outputs": [{ "name", "shape", "datatype", "data" }] }
 *
 * Where the document names a version, the metadata and every answer have to name the same version.
 */
import type { ScorerOf } from '../../documents/scorer-document.js';
import type { ScoredModel } from '../point-scorer.js';
import { createScoreReader, readScores } from '../score-reader.js';
import { ScorerFault } from '../scorer-fault.js';
import { checkVersion } from './http.js';
import { asObject, below, type OpenModel, type Protocol, type Send } from './protocol.js';
import { createTensorWriter, rowsOfTensor, type TensorSignature } from './tensors.js';

type OpenInference = ScorerOf<'open-inference'>;

interface Metadata {
  readonly inputs: readonly (TensorSignature & { readonly datatype: string })[];
  readonly output: string;
}

const NUMBERS = /^(FP(16|32|64)|U?INT(8|16|32|64)|BOOL)$/;
const TEXT = 'BYTES';

export const openInference: Protocol<'open-inference'> = {
  async open(model, scorer, send) {
    const { inputs, output } = await readMetadata(scorer, send);
    const write = createTensorWriter(model, inputs);
    const types = new Map(inputs.map(({ name, datatype }) => [name, datatype]));
    const read = createScoreReader(model);
    const url = addressOf(scorer, 'infer');
    const score: OpenModel['score'] = (points) => {
      const tensors = write(points).map((tensor) => ({ ...tensor, datatype: types.get(tensor.name)! }));
      const body = JSON.stringify({ inputs: tensors.map(typed), outputs: [{ name: output }] });
      return send({ url, body }, points.length, (answer) =>
        readScores(rowsOf(answer, scorer, model, output, points.length), points.length, read),
      );
    };
    return { score };
  },
};

function addressOf({ url, model, modelVersion }: OpenInference, ...rest: string[]): URL {
  return below(url, 'v2', 'models', model, ...(modelVersion === undefined ? [] : ['versions', modelVersion]), ...rest);
}

function readMetadata(scorer: OpenInference, send: Send): Promise<Metadata> {
  return send({ url: addressOf(scorer) }, 0, (answer) => {
    const { inputs, outputs, versions } = asObject(answer);
    const isListed = Array.isArray(versions) && versions.map(String).includes(scorer.modelVersion ?? '');
    if (scorer.modelVersion !== undefined && Array.isArray(versions) && !isListed)
      throw new ScorerFault('version', `the scorer does not have version ${scorer.modelVersion} of ${scorer.model}`);
    return { inputs: tensorsOf(inputs), output: outputOf(tensorsOf(outputs), scorer) };
  });
}

function tensorsOf(list: unknown): Metadata['inputs'] {
  if (!Array.isArray(list) || list.length === 0) throw new ScorerFault('shape', 'the metadata list no tensors');
  return list.map((entry) => {
    const { name, datatype, shape } = asObject(entry);
    const isGood = typeof name === 'string' && typeof datatype === 'string' && isShape(shape);
    if (!isGood || !(NUMBERS.test(datatype) || datatype === TEXT))
      throw new ScorerFault('shape', 'the metadata have a tensor without name, known datatype or shape');
    return { name, datatype, shape, isText: datatype === TEXT };
  });
}

const isShape = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);

/** The output that the document names, or the only one. */
function outputOf(outputs: Metadata['inputs'], { output }: OpenInference): string {
  const found = output === undefined ? outputs.length === 1 && outputs[0] : outputs.find(({ name }) => name === output);
  if (found) return found.name;
  const names = outputs.map(({ name }) => name).join(', ');
  throw new ScorerFault('shape', `name one of the outputs (${names}) in scorer.output`, false);
}

/** Booleans are true and false on the wire. */
function typed<T extends { readonly datatype: string; readonly data: readonly unknown[] }>(tensor: T): T {
  return tensor.datatype === 'BOOL' ? { ...tensor, data: tensor.data.map(Boolean) } : tensor;
}

function rowsOf(
  answer: unknown,
  { modelVersion }: OpenInference,
  { classes, scoring }: ScoredModel,
  output: string,
  count: number,
): unknown[] {
  const { model_version: version, outputs } = asObject(answer);
  checkVersion(modelVersion, version);
  const tensor = Array.isArray(outputs) ? outputs.map(asObject).find(({ name }) => name === output) : undefined;
  if (!tensor || !isShape(tensor.shape) || !Array.isArray(tensor.data))
    throw new ScorerFault('shape', `the answer has no output ${output} with shape and data`);
  // Some servers nest the data of a tensor by its shape.
  const rows = rowsOfTensor(tensor.data.flat(Infinity), tensor.shape, count) as unknown[][];
  const isSingle = scoring.outputs !== 'probabilities' || classes.length === 2;
  if (rows.some((row) => row.length === 1) && !isSingle) throw new ScorerFault('shape', 'one probability per input');
  return rows;
}
