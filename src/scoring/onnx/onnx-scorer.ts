/**
 * The scorer of a model in an ONNX file. The asking thread scores the file: threads work in parallel, and no request leaves the process.
 * Inputs and outputs are read from the file, by the same rules as for a scorer behind the Open Inference Protocol.
 */

import type { ScorerOf } from '../../documents/scorer-document.js';
import type { PointScore, PointScorer, ScoredModel } from '../point-scorer.js';
import {
  createTensorWriter,
  rowsOfTensor,
  type Tensor,
  type TensorSignature,
  type TensorWriter,
} from '../protocols/tensors.js';
import { createScoreReader, readScores, type ScoreReader } from '../score-reader.js';
import { ScorerFault } from '../scorer-fault.js';
import { checkWhole } from './external-data.js';
import {
  loadOnnxRuntime,
  type OnnxRuntime,
  type OnnxSession,
  type OnnxTensor,
  type OnnxValue,
  SESSION_OPTIONS,
} from './onnx-runtime.js';
import { TimeLimit } from './time-limit.js';

/** By the type of a tensor: its entries in the form for the runtime. */
const ENTRIES: Readonly<Record<string, (data: Tensor['data']) => unknown>> = {
  float32: (data) => Float32Array.from(data as number[]),
  float64: (data) => Float64Array.from(data as number[]),
  int32: (data) => Int32Array.from(data as number[]),
  int64: (data) => BigInt64Array.from(data as number[], (value) => BigInt(Math.trunc(value))),
  bool: (data) => Uint8Array.from(data as number[]),
  string: (data) => data,
};

export class OnnxScorer implements PointScorer {
  private readonly limit: TimeLimit;

  private constructor(
    private readonly runtime: OnnxRuntime,
    private readonly session: OnnxSession,
    private readonly output: string,
    private readonly write: TensorWriter,
    private readonly read: ScoreReader,
    private readonly model: ScoredModel,
  ) {
    this.limit = new TimeLimit(model.scoring.timeoutMs);
  }

  static async open(model: ScoredModel, bytes: Uint8Array, loading = loadOnnxRuntime()): Promise<OnnxScorer> {
    const runtime = await loading;
    checkWhole(bytes);
    const session = await runtime.InferenceSession.create(bytes, SESSION_OPTIONS).catch((error: Error) => {
      throw new ScorerFault('shape', `the ONNX file cannot be loaded: ${error.message}`);
    });
    const output = outputOf(session.outputMetadata, model.scoring.scorer as ScorerOf<'onnx'>);
    const write = createTensorWriter(model, session.inputMetadata.map(signatureOf));
    return new OnnxScorer(runtime, session, output, write, createScoreReader(model), model);
  }

  async score(inputs: readonly Float64Array[]): Promise<readonly PointScore[]> {
    const { batchSize } = this.model.scoring;
    const scores: PointScore[] = [];
    for (let from = 0; from < inputs.length; from += batchSize)
      scores.push(...(await this.scoreBatch(inputs.slice(from, from + batchSize))));
    return scores;
  }

  close(): Promise<void> {
    return this.session.release();
  }

  private async scoreBatch(inputs: readonly Float64Array[]): Promise<PointScore[]> {
    const feeds = Object.fromEntries(this.write(inputs).map((tensor) => [tensor.name, this.feed(tensor)]));
    const { [this.output]: result } = await this.limit.within(() =>
      this.session.run(feeds, [this.output]).catch((error: Error) => {
        throw new ScorerFault('shape', `the ONNX file cannot score: ${error.message}`);
      }),
    );
    this.checkWidth(result.dims);
    const data = Array.from(result.data, (entry) => (typeof entry === 'bigint' ? Number(entry) : entry));
    return readScores(rowsOfTensor(data, result.dims, inputs.length), inputs.length, this.read);
  }

  /** Checked before numbers are copied, because a file may return any number of them. */
  private checkWidth(dims: readonly number[]): void {
    const most = this.model.scoring.outputs === 'probabilities' ? this.model.classes.length : 1;
    if (dims.length > 2 || (dims[1] ?? 1) > most)
      throw new ScorerFault('shape', `the ONNX file gives an output of shape [${dims.join(', ')}]`, false);
  }

  private feed({ name, data, shape }: Tensor): OnnxTensor {
    const { type = '' } = this.session.inputMetadata.find((input) => input.name === name)!;
    return new this.runtime.Tensor(type, ENTRIES[type](data), shape);
  }
}

function signatureOf({ name, isTensor, type = '', shape = [] }: OnnxValue): TensorSignature {
  if (!isTensor || !Object.hasOwn(ENTRIES, type))
    throw new ScorerFault('shape', `the input ${name} of the ONNX file has a type that is not known: ${type}`);
  return { name, isText: type === 'string', shape: shape.map((size) => (typeof size === 'number' ? size : -1)) };
}

/** The output that the document names, or the only tensor. */
function outputOf(outputs: readonly OnnxValue[], { output }: ScorerOf<'onnx'>): string {
  const tensors = outputs.filter(({ isTensor }) => isTensor);
  const found = output === undefined ? tensors.length === 1 && tensors[0] : tensors.find(({ name }) => name === output);
  if (found) return found.name;
  const names = outputs.map(({ name, isTensor }) => (isTensor ? name : `${name} (no tensor: export with zipmap off)`));
  throw new ScorerFault('shape', `name one of the outputs in scorer.output: ${names.join(', ')}`);
}
