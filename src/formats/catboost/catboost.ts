/**
 * CatBoost models, as JSON (`save_model(..., format="json", pool=pool)`) or in the library's own form (.cbm) -> a `tree-ensemble`.
 *
 *   score      bias + scale Σ over trees of the leaf, in float64; the scale is folded into the leaves
 *   trees      catboost-trees.ts;   splits   a number in float32, a word by its hash: catboost-features.ts
 *   missing    NaN is on the side of the file's nan_value_treatment. A missing word is like a word that no split asks for
 *
 * Target statistics of categories (CTR), texts and embeddings are refused by name.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { ModelDocument } from '../../documents/model-document.js';
import type { ImportChoices } from '../choices.js';
import { toDocument, unsupported } from '../ensemble.js';
import { chosenOutput, refuseOutput } from '../outputs.js';
import { NodeBudget } from '../tree-growth.js';
import { isCbm, readCbm } from './catboost-cbm.js';
import { layOut } from './catboost-features.js';
import { readJson } from './catboost-json.js';
import { type CatboostLoss, lossOf } from './catboost-losses.js';
import { type CatboostModel, ROOT } from './catboost-model.js';
import { toTree } from './catboost-trees.js';

/** More numbers in a leaf are a damaged file. */
const MOST_OUTPUTS = 10_000;

export function importCatboost(bytes: Uint8Array, choices: ImportChoices = {}): ModelDocument {
  const model = isCbm(bytes) ? readCbm(bytes) : readJson(new TextDecoder().decode(bytes));
  const loss = lossOf(model.loss);
  checkThreshold(model);
  const kept = keptOutput(model, loss, choices);
  const part = <T>(numbers: readonly T[]): T[] => (kept === null ? [...numbers] : [numbers[kept]]);
  const layout = layOut(model);
  const budget = new NodeBudget(choices, `${ROOT}.trees`);
  const keep = (leaf: readonly number[]) => part(leaf).map((value) => value * model.scale);
  const base = part(biases(model));
  const document = toDocument({
    name: ROOT,
    features: layout.features,
    objective: { task: loss.task, link: loss.link },
    classCount: model.dimension,
    trees: model.trees.map((tree, t) => toTree(tree, t, model, layout, keep, budget)),
    treeClass: null,
    base: kept === null ? base : base[0],
    accumulate: 'float64',
  });
  const hasNames = loss.leaves !== 'outputs' && model.classes.length === document.classes?.length;
  return hasNames ? { ...document, classes: [...model.classes] } : document;
}

/** The output that the document keeps; null: all of them, they are classes. */
function keptOutput(
  { dimension }: CatboostModel,
  { leaves, task }: CatboostLoss,
  choices: ImportChoices,
): number | null {
  const path = `${ROOT}.trees`;
  const [least, most] = leaves === 'one' ? [1, 1] : [task === 'multi' ? 2 : 1, MOST_OUTPUTS];
  const fits = Number.isInteger(dimension) && dimension >= least && dimension <= most;
  if (!fits)
    throw new ElsewiseError('bad-document', `leaves of ${dimension} numbers do not go with the loss function`, path);
  if (leaves === 'outputs') return chosenOutput(dimension, choices, 'outputs', path);
  refuseOutput(choices, path);
  return leaves === 'classes' ? null : 0;
}

function biases({ bias, dimension }: CatboostModel): readonly number[] {
  if (bias.length === dimension) return bias;
  if (bias.length === 1) return Array<number>(dimension).fill(bias[0]);
  const message = `${bias.length} numbers for leaves of ${dimension}`;
  throw new ElsewiseError('bad-document', message, `${ROOT}.scale_and_bias`);
}

function checkThreshold({ probabilityThreshold }: CatboostModel): void {
  if (probabilityThreshold === undefined || Number(probabilityThreshold) === 0.5) return;
  const what = `a probability threshold of ${probabilityThreshold}; call set_probability_threshold(0.5) before save_model, and give the threshold as a target: {"from": ${probabilityThreshold}}`;
  throw unsupported(what, `${ROOT}.model_info.binclass_probability_threshold`);
}
