/**
 * What follows a support vector machine of several classes. onnxruntime gives the sums of all pairs of classes, and skl2onnx turns them into
 * the scores of scikit-learn by some thirty elementary operators:
 *
 *   votes_k + s_k / (3 (|s_k| + 1))        models/machines/one-vs-one.ts
 *
 * These operators run here on samples of sums: every pattern of signs, in several sizes. If all samples have the scores of scikit-learn, the
 * graph is taken to compute them. They are functions of signs and sums only: comparisons with other constants than 0 are refused.
 */
import { OneVsOne } from '../../../models/machines/one-vs-one.js';
import type { OnnxModel, Outputs, PairVotes, Value } from '../values.js';
import type { NodeView } from './node-view.js';

/** More pairs of classes have too many patterns of signs. */
const MOST_PAIRS = 10;
const SIZES = [0.03, 0.7, 1.9, 12.5];
const TOLERANCE = 1e-9;

/** Of a model of several classes. Null: too many classes. */
export function votesOf(model: OnnxModel, classes: readonly string[]): PairVotes | null {
  const pairs = (classes.length * (classes.length - 1)) / 2;
  if (pairs > MOST_PAIRS) return null;
  const sums = SIZES.flatMap((size, s) =>
    Array.from({ length: 2 ** pairs }, (_, pattern) =>
      Float64Array.from(
        { length: pairs },
        (__, p) => ((pattern >> p) & 1 ? 1 : -1) * size * (1 + ((3 * p + 5 * s + pattern) % 7) / 7),
      ),
    ),
  );
  return { kind: 'votes', model, classes, sums, rows: sums.map((own) => [...own]) };
}

type Row = readonly number[];
type RowOperator = (rows: readonly Row[], node: NodeView) => Row;

const byEntry =
  (combine: (a: number, b: number) => number): RowOperator =>
  ([first, ...others]) =>
    others.reduce(
      (a, b) => Array.from({ length: Math.max(a.length, b.length) }, (_, k) => combine(entry(a, k), entry(b, k))),
      first,
    );

/** A single number goes with every column. */
const entry = (row: Row, k: number): number => row[row.length === 1 ? 0 : k];

const ROW_OPERATORS: ReadonlyMap<string, RowOperator> = new Map<string, RowOperator>([
  ['Cast', ([row]) => row],
  ['Reshape', ([row]) => row],
  ['Neg', ([row]) => row.map((x) => -x)],
  ['Abs', ([row]) => row.map(Math.abs)],
  ['Less', byEntry((a, b) => +(a < b))],
  ['Add', byEntry((a, b) => a + b)],
  ['Sum', byEntry((a, b) => a + b)],
  ['Sub', byEntry((a, b) => a - b)],
  ['Mul', byEntry((a, b) => a * b)],
  ['Div', byEntry((a, b) => a / b)],
  ['Concat', (rows) => rows.flat()],
  ['ArrayFeatureExtractor', ([row, places]) => places.map((place) => row[place])],
]);

export const isVotes = (value: Value | undefined): value is PairVotes => value?.kind === 'votes';

/** The operator on every sample. ZipMap names the numbers and changes none. */
export function lowerVotes(node: NodeView, inputs: readonly (Value | undefined)[]): Value[] {
  const votes = inputs.find(isVotes)!;
  if (node.operator === 'ZipMap') return [votes];
  const operator = ROW_OPERATORS.get(node.operator);
  if (!operator) throw node.refuse('the sums of a support vector machine');
  if (node.operator === 'Less') checkSigns(inputs, node);
  const operands = inputs.map((input) => rowsOf(input, votes, node));
  return [
    {
      ...votes,
      rows: votes.rows.map((_, s) =>
        operator(
          operands.map((at) => at(s)),
          node,
        ),
      ),
    },
  ];
}

/** Only the signs of the sums are asked: the samples have all of them. */
function checkSigns([sums, bound]: readonly (Value | undefined)[], node: NodeView): void {
  const isOfSums = isVotes(sums) && sums.rows.every((row, s) => isSame(row, sums.sums[s]));
  const isZero = bound?.kind === 'constant' && bound.tensor.numbers.every((number) => number === 0);
  if (!isOfSums || !isZero) throw node.refuse('another comparison than that of sums with 0');
}

function rowsOf(input: Value | undefined, { model }: PairVotes, node: NodeView): (sample: number) => Row {
  if (input?.kind === 'constant') return () => input.tensor.numbers;
  if (isVotes(input) && input.model === model) return (sample) => input.rows[sample];
  throw node.refuse('the sums of two models');
}

/** The scores of a family: those of scikit-learn, or the sums themselves. Null: any other function. */
export function scoresOf({ model, classes, sums, rows }: PairVotes): Outputs | null {
  const rule = new OneVsOne(classes.length);
  const own = new Float64Array(classes.length);
  const isShown = (s: number) => {
    rule.show(sums[s], own);
    return isSame(rows[s], own);
  };
  const isKnown = rows.every((_, s) => isShown(s)) || rows.every((row, s) => isSame(row, sums[s]));
  return isKnown ? { kind: 'outputs', model, steps: [], width: classes.length, classes } : null;
}

const isSame = (a: Row, b: ArrayLike<number>): boolean =>
  a.length === b.length && a.every((value, k) => Math.abs(value - b[k]) <= TOLERANCE * Math.max(1, Math.abs(b[k])));
