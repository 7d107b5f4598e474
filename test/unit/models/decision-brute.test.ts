/**
 * The decision layer against enumeration: every row of a small space is scored without the layer, calibrated by formulas of this file, and
 * the cheapest row with the target is compared with the answer.
 */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import { prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Dice } from '../../support/dice.js';
import { generators } from '../../support/random-models.js';

const SIDE = 9;
const HOUSING = ['own', 'rent', 'free'];
const FEATURES: FeatureDocument[] = [
  { name: 'a', type: 'integer', min: 0, max: SIDE - 1 },
  { name: 'b', type: 'integer', min: 0, max: SIDE - 1 },
  { name: 'housing', type: 'categorical', encoding: 'one-hot', categories: HOUSING },
];
const INPUTS = 5;
const SCALE = { type: 'scale', mean: [4, 4, 0, 0, 0], scale: [2.5, 2.5, 1, 1, 1] };

/** Families that read rows in the units of the features: they take no scaling. */
const READS_ROWS = ['additive'];

type SmallRow = { a: number; b: number; housing: string };
const ALL: SmallRow[] = HOUSING.flatMap((housing) =>
  Array.from({ length: SIDE * SIDE }, (_, k) => ({ a: k % SIDE, b: Math.floor(k / SIDE), housing })),
);
const costOf = (p: SmallRow, q: SmallRow) =>
  Math.abs(p.a - q.a) + Math.abs(p.b - q.b) + (p.housing === q.housing ? 0 : 1);

interface Layer {
  readonly document: object;
  readonly curve: (score: number) => number;
}

/** A rising list of the values that occur, repeated at random: levels and steps. */
function isotonic(dice: Dice, scores: readonly number[], interpolation: 'linear' | 'steps'): Layer {
  const x = [...new Set(Array.from({ length: 6 }, () => dice.pick(scores)))].sort((p, q) => p - q);
  const y = x.map(() => dice.pick([0, 0.25, 0.5, 0.5, 0.75, 1])).sort((p, q) => p - q);
  const curve = (s: number) => {
    const k = x.filter((one) => one <= s).length - 1;
    if (k < 0) return y[0];
    if (k === x.length - 1 || interpolation === 'steps' || s === x[k]) return y[k];
    return ((y[k + 1] - y[k]) / (x[k + 1] - x[k])) * (s - x[k]) + y[k];
  };
  return { document: { type: 'isotonic', scores: x, values: y, interpolation }, curve };
}

function sigmoid(dice: Dice): Layer {
  const [slope, intercept] = [-dice.between(0.5, 4), dice.normal()];
  return { document: { type: 'sigmoid', slope, intercept }, curve: (s) => 1 / (1 + Math.exp(slope * s + intercept)) };
}

function mean(dice: Dice, scores: readonly number[]): Layer {
  const parts = [isotonic(dice, scores, 'steps'), sigmoid(dice), isotonic(dice, scores, 'linear')];
  const curve = (s: number) => parts.reduce((sum, part) => sum + part.curve(s), 0) / 3;
  return { document: { type: 'mean', of: parts.map(({ document }) => document) }, curve };
}

const LAYERS = [
  (dice: Dice, scores: readonly number[]) => isotonic(dice, scores, 'linear'),
  (dice: Dice, scores: readonly number[]) => isotonic(dice, scores, 'steps'),
  sigmoid,
  mean,
  () => null,
];

function draw(family: string, seed: number) {
  const dice = new Dice(seed);
  const drawParts = () => generators[family](dice, INPUTS, FEATURES);
  let parts = drawParts();
  while (parts.classes > 2 || parts.refuses?.({ kind: 'interval', index: 1, from: 0, to: 1 })) parts = drawParts();
  const classes = parts.classes ? { classes: ['class 0', 'class 1'] } : {};
  const document = {
    ...{ schema: 'elsewise.model/v1', name: 'm', family, features: FEATURES, ...classes },
    ...{ preprocessing: READS_ROWS.includes(family) ? [] : [SCALE], parameters: parts.parameters },
  };
  const plain = loadModel(document);
  const own = ALL.map((row) => {
    const { prediction, scores } = plain.predict({ ...row });
    return parts.classes ? scores['class 1'] : (prediction as number);
  });
  return { dice, document, own, plain, isClassifier: parts.classes > 0 };
}

function askedOf({ dice, own, plain, isClassifier }: ReturnType<typeof draw>) {
  const layer = dice.pick(LAYERS)(dice, own);
  const hasThreshold = isClassifier && (layer ? dice.chance(0.5) : plain.model.thresholds !== undefined);
  const reported = own.map((s) => layer?.curve(s) ?? s);
  const sorted = [...new Set(reported)].sort((p, q) => p - q);
  const cut = hasThreshold ? dice.pick(sorted) : layer && isClassifier ? 0.5 : undefined;
  const inclusive = hasThreshold && dice.chance(0.5);
  const bands = [sorted.at(-1)!, dice.pick(sorted), sorted[0]].filter((from, k, all) => all.indexOf(from) === k);
  const decision = {
    ...(layer && { calibration: layer.document }),
    ...(hasThreshold && { threshold: cut, inclusive }),
    bands: bands.map((from, k) => ({ name: `band ${k}`, from })),
  };
  const isSecond = (score: number) => (inclusive ? score >= cut! : score > cut!);
  const [low, high] = [dice.pick(sorted), dice.pick(sorted)].sort((p, q) => p - q);
  const targets: [unknown, (score: number) => boolean][] = [
    ...bands.map((from, k): [unknown, (score: number) => boolean] => [`band ${k}`, (score) => score >= from]),
    [{ from: low, to: high }, (score) => score >= low && score <= high],
  ];
  if (cut !== undefined) targets.push(['class 1', isSecond], ['class 0', (score) => !isSecond(score)]);
  return { decision, reported, targets, isSecond: cut === undefined ? null : isSecond };
}

const POLICY = {
  schema: 'elsewise.policy/v1',
  cost: { norm: 'l1', weights: 'none' },
  effort: 20_000,
  deadlineMs: 10_000,
};
const FAMILIES = Object.keys(generators).filter((name) => !['lvq'].includes(name));

describe.each(FAMILIES)('%s with a decision layer', (family) => {
  it('has the answers of an enumeration', async () => {
    const wrong: unknown[] = [];
    for (let seed = 1; seed <= Number(process.env.SEEDS ?? 3); seed++) {
      const drawn = draw(family, seed);
      const { decision, reported, targets, isSecond } = askedOf(drawn);
      const loaded = loadModel({ ...drawn.document, decision });
      const plan = await prepare(loaded, loadPolicy(POLICY));
      for (const [target, reaches] of targets) {
        const person = drawn.dice.pick(ALL);
        const factual = ALL.indexOf(person);
        const costs = ALL.filter((_, k) => reaches(reported[k])).map((row) => costOf(person, row));
        const best = reaches(reported[factual]) ? 'already' : costs.length ? Math.min(...costs) : 'infeasible';
        const result = plan.explain({ id: '1', features: { ...person }, target });
        const [answer] = result.counterfactuals;
        const kind = answer?.proof.kind;
        const got = answer ? answer.cost : result.status;
        const isWrong =
          kind === 'optimal' || !answer
            ? got !== best && !(result.status === 'not-found' && best !== 'already')
            : !(
                typeof best === 'number' &&
                answer.cost >= best - 1e-9 &&
                (answer.proof.lowerBound ?? 0) <= best + 1e-9
              );
        if (isWrong || (typeof best === 'number' && !answer))
          wrong.push({
            seed,
            target,
            best,
            got,
            kind,
            decision: JSON.stringify(decision),
            status: result.status,
            reason: result.reason,
          });
      }
      ALL.forEach((row, k) => {
        const { prediction, scores } = loaded.predict({ ...row });
        const score = drawn.isClassifier ? scores['class 1'] : prediction;
        if (score !== reported[k]) wrong.push({ seed, row, score, expected: reported[k] });
        if (isSecond && prediction !== `class ${+isSecond(reported[k])}`) wrong.push({ seed, row, prediction });
      });
    }
    expect(wrong.length, JSON.stringify(wrong.slice(0, 3), null, 1)).toBe(0);
  });
});
