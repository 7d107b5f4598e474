/**
 * ONNX files of skl2onnx, onnxmltools and torch -> a model document.
 *
 *   bytes -> messages (onnx-file.ts) -> values of the outputs, node by node (evaluate.ts, operators.ts) -> family (conclude.ts)
 *
 * The graph's score decides. An output of labels must be the decision of the same model. What cannot be kept is refused by operator and node:
 * such a file is explained as a black box.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { ModelDocument } from '../../documents/model-document.js';
import type { ImportChoices } from '../choices.js';
import { type InputColumn, inputColumn, isColumnType } from './columns.js';
import { conclude } from './conclude.js';
import { Evaluation } from './evaluate.js';
import { type OnnxGraph, type OnnxPort, readOnnxFile } from './file/onnx-file.js';
import { ROOT } from './file/wire-reader.js';
import { WAY_OUT } from './operators/node-view.js';
import { operators } from './operators/operators.js';
import { isVotes, scoresOf } from './operators/svm-votes.js';
import type { DecidedLabels, OnnxColumns, Outputs, Value } from './values.js';

/** More columns are no row of a table. */
const MOST_COLUMNS = 100_000;

export function importOnnx(bytes: Uint8Array, choices: ImportChoices = {}): ModelDocument {
  const graph = readOnnxFile(bytes);
  const { inputs, values } = readInputs(graph.inputs);
  const evaluation = new Evaluation(graph, operators, values);
  return conclude(scoreOf(graph, evaluation), inputs, choices);
}

const refuse = (what: string, path: string): ElsewiseError =>
  new ElsewiseError('unsupported', `this importer does not support ${what}; ${WAY_OUT}`, path);

/** The columns of the row, input by input. Those of a single input have no names: f0, f1, ... as in XGBoost. */
function readInputs(ports: readonly OnnxPort[]): { inputs: InputColumn[]; values: Map<string, Value> } {
  const inputs: InputColumn[] = [];
  const values = new Map<string, Value>();
  for (const [p, port] of ports.entries()) {
    const path = `${ROOT}.graph.input[${p}]`;
    const width = widthOf(port, path);
    if (inputs.length + width > MOST_COLUMNS) throw refuse(`more than ${MOST_COLUMNS} columns`, path);
    const own = Array.from({ length: width }, (_, k): InputColumn => {
      const name = ports.length === 1 ? `f${k}` : width === 1 ? port.name : `${port.name}_${k}`;
      return { place: inputs.length + k, name, type: port.type };
    });
    inputs.push(...own);
    if (values.has(port.name))
      throw new ElsewiseError('bad-document', `the input "${port.name}" is listed twice`, path);
    values.set(port.name, { kind: 'columns', type: port.type, columns: own.map(inputColumn) } satisfies OnnxColumns);
  }
  return { inputs, values };
}

function widthOf({ name, type, shape }: OnnxPort, path: string): number {
  if (!isColumnType(type)) throw refuse(`the input "${name}" of the type ${type}`, path);
  const width = shape.length === 1 ? 1 : shape[1];
  if (shape.length >= 1 && shape.length <= 2 && width > 0) return width;
  const message = `the input "${name}" has no fixed number of columns: export the model with rows of [None, columns]`;
  throw new ElsewiseError('unsupported', message, path);
}

/** The numbers of the graph. Labels only: the numbers that decide them. */
function scoreOf({ outputs }: OnnxGraph, evaluation: Evaluation): Outputs {
  const values = outputs.map(({ name }) => withScores(evaluation.valueOf(name)));
  const scores = values.filter((value) => value.kind === 'outputs');
  const labels = values.filter((value) => value.kind === 'labels');
  const path = `${ROOT}.graph.output`;
  if (scores.length !== 1 || scores.length + labels.length !== values.length)
    throw refuse(`${values.length} outputs of which ${scores.length} are scores`, path);
  const [score] = scores;
  if (labels.some(({ model }) => model !== score.model))
    throw refuse('labels that another model than that of the scores decides', path);
  return { ...score, classes: classesOf(score, labels) };
}

function withScores(value: Value): Value {
  if (!isVotes(value)) return value;
  const scores = scoresOf(value);
  if (scores) return scores;
  throw refuse('such a function of the sums of a support vector machine', `${ROOT}.graph.output`);
}

/** The names that the labels give. Labels without names are places. */
function classesOf({ classes, width }: Outputs, labels: readonly DecidedLabels[]): readonly string[] | null {
  const names = labels.find((label) => label.names !== null)?.names ?? classes;
  if (names || !labels.length) return names;
  return Array.from({ length: Math.max(2, width) }, (_, k) => String(k));
}
