/**
 * Additive models: scorecards, weight of evidence, GAMs, explainable boosting machines.
 *
 *   f(x) = intercept + Σ_j f_j(x_j) + Σ_jk f_jk(x_j, x_k),     each f a step function: a score for each bin, category or cell
 *
 * The sum is computed from the intercept on, in the order of the terms, in float64. Each term is compiled into a tree over its features
 * (additive/term-tree.ts), in the order of the terms: the region of a goal is a `trees` atom, and all that holds for sums of trees holds here.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { bounded, positive } from '../../documents/numbers.js';
import { isIdentity } from '../../linalg/affine.js';
import { sharedBytes } from '../../linalg/shared.js';
import { score, termSchema } from '../additive/term-document.js';
import { growTree } from '../additive/term-tree.js';
import { layOutTerm, type Term } from '../additive/terms.js';
import { defineFamily, type FamilyContext, type Model } from '../family.js';
import type { SharedParts } from '../shared-parts.js';
import { type Forest, flatten, forestOf } from '../trees/tree.js';
import { type PointOdds, TreeModel } from './tree-ensemble.js';

const PATH = 'model.parameters';

const form = z.strictObject({
  intercept: score.describe(
    'The number that the sum starts with. A list has a number for each class: each score is then such a list.',
  ),
  terms: listOf(termSchema).min(1).describe('The terms, in the order of the sum.'),
  link: z
    .enum(['identity', 'logit', 'softmax', 'exp'])
    .default('identity')
    .describe(
      'The function from the sum to the score. `logit` goes with two classes, `softmax` with a list, `exp` with a regressor.',
    ),
  threshold: bounded
    .optional()
    .describe(
      'For two classes and one sum: the score from which on the second class is predicted, and with `odds` the points. Default: the second class is predicted where the sum is above 0.',
    ),
  odds: z
    .strictObject({
      points: bounded.describe('A number of points.'),
      odds: positive.describe('The odds of the second class at these points, to 1.'),
      double: positive.describe('The points that double the odds.'),
    })
    .optional()
    .describe(
      'For a sum in points with the link `logit` and a `threshold`: the scores are the probabilities of these odds. Default: the sum is a logarithm of odds.',
    ),
});

type Parameters = z.output<typeof form>;

const oddsOf = ({ odds }: Parameters): PointOdds | undefined =>
  odds && { points: odds.points, logOdds: Math.log(odds.odds), unit: odds.double / Math.LN2 };

/** The trees of the terms, and the columns that have to have a value. */
interface Compiled {
  readonly forest: Forest;
  readonly required: Uint8Array;
}

function loadAdditive(p: Parameters, context: FamilyContext): Model {
  checkForm(p, context);
  checkSteps(context);
  const outputs = outputsOf(p);
  const { forest, required } = compiledOf(context.shared) ?? compileTerms(p, outputs, context);
  const base = Float64Array.from(typeof p.intercept === 'number' ? [p.intercept] : p.intercept);
  const sum = { forest, treeClass: null, base, outputs, count: 1, single: false, members: null };
  return new TreeModel(sum, p.link, context.classes, { required, threshold: p.threshold, odds: oddsOf(p) });
}

const outputsOf = ({ intercept }: Parameters): number => (typeof intercept === 'number' ? 1 : intercept.length);

const compiledOf = (parts?: SharedParts): Compiled | undefined =>
  parts && { forest: forestOf(parts)!, required: parts.required as Uint8Array };

function compileTerms({ terms }: Parameters, outputs: number, { space, bounds }: FamilyContext): Compiled {
  const required = sharedBytes(space.columns);
  const trees = terms.map((document, t) => {
    const path = `${PATH}.terms[${t}]`;
    const term = layOutTerm(document, space, outputs, path);
    markRequired(term, required);
    return growTree(term.axes, term.table, path, bounds);
  });
  return { forest: flatten(trees, space.columns, `${PATH}.terms`, bounds), required };
}

function markRequired({ axes }: Term, required: Uint8Array): void {
  for (const { feature, missing } of axes)
    if (missing < 0) required.fill(1, feature.column, feature.column + feature.width);
}

function checkForm({ intercept, link, threshold, odds }: Parameters, { classes }: FamilyContext): void {
  const outputs = typeof intercept === 'number' ? 1 : intercept.length;
  const isOneSum = typeof intercept === 'number' && (classes === 0 || classes === 2);
  if (!isOneSum && (typeof intercept === 'number' || outputs !== classes || classes === 0))
    throw wrongIntercept(classes);
  const fault = LINK_FAULTS[link](isOneSum, classes);
  if (fault) throw parameterError('link', fault);
  if (odds && (link !== 'logit' || threshold === undefined))
    throw parameterError('odds', 'goes with the link logit and a threshold in points');
  if (threshold === undefined) return;
  if (!isOneSum || classes !== 2) throw parameterError('threshold', 'goes with two classes and one sum');
  if (link === 'logit' && !odds && !(threshold > 0 && threshold < 1))
    throw parameterError('threshold', `expected a probability between 0 and 1, got ${threshold}`);
}

function wrongIntercept(classes: number): ElsewiseError {
  const expected = { 0: 'one number', 2: 'one number, or a list with a number for each of the two classes' };
  const others = `a list with a number for each of the ${classes} classes`;
  return parameterError('intercept', `expected ${expected[classes as 0 | 2] ?? others}`);
}

/** By link: why it does not go with the sums. */
const LINK_FAULTS: Record<Parameters['link'], (isOneSum: boolean, classes: number) => string | false> = {
  identity: () => false,
  logit: (isOneSum, classes) =>
    !(isOneSum && classes === 2) && 'logit goes with two classes and an intercept of one number',
  softmax: (isOneSum) => isOneSum && 'softmax goes with an intercept that has a number for each class',
  exp: (_, classes) => classes > 0 && 'exp goes with a regressor',
};

/** Bins and categories are those of the row: only missing values may be filled in before. */
function checkSteps({ preprocessing: { map, curves } }: FamilyContext): void {
  if (isIdentity(map) && !curves) return;
  const message =
    'an additive model reads the values of the row: leave out all steps but "impute", and give cuts in the units of the row';
  throw new ElsewiseError('unsupported', message, 'model.preprocessing');
}

const parameterError = (key: string, message: string) => new ElsewiseError('bad-document', message, `${PATH}.${key}`);

export const additive = defineFamily({
  name: 'additive',
  task: 'either',
  schema: form,
  shares: ['terms'],
  load: loadAdditive,
});
