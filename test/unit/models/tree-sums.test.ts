/** Sums over trees under every link and aggregation: one meaning of the target for the row as it is, for its answer and for the proof. */
import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Dice } from '../../support/dice.js';
import { faultOf } from '../../support/documents.js';

const VALUES = Array.from({ length: 10 }, (_, x) => x);

/** A tree that gives each whole number 0..9 a leaf of its own. */
function chain(leaves: readonly (readonly number[])[]) {
  const splits = leaves.length - 1;
  const leafOf = (x: number) => splits + x;
  return {
    feature: Array(splits + leaves.length).fill(0),
    threshold: [...Array.from({ length: splits }, (_, x) => x + 0.5), ...leaves.map(() => 0)],
    left: [...Array.from({ length: splits }, (_, x) => leafOf(x)), ...leaves.map(() => -1)],
    right: [
      ...Array.from({ length: splits }, (_, x) => (x + 1 < splits ? x + 1 : leafOf(x + 1))),
      ...leaves.map(() => -1),
    ],
    value: [...Array(splits).fill(leaves[0]), ...leaves],
  };
}

interface Form {
  classes: number;
  outputs: number;
  aggregation: string;
  link: string;
  perClass?: boolean;
  members?: readonly { trees: number; weight: number }[];
}

/** Weights that are no binary fractions, and a member without a say. */
const MEMBERS = [
  { trees: 2, weight: 0.1 },
  { trees: 1, weight: 0.3 },
  { trees: 3, weight: 0 },
];

const FORMS: Form[] = [
  { classes: 2, outputs: 1, aggregation: 'sum', link: 'identity' },
  { classes: 2, outputs: 1, aggregation: 'mean', link: 'identity' },
  { classes: 2, outputs: 1, aggregation: 'sum', link: 'logit' },
  { classes: 2, outputs: 1, aggregation: 'mean', link: 'logit' },
  { classes: 2, outputs: 2, aggregation: 'mean', link: 'identity' },
  { classes: 3, outputs: 3, aggregation: 'vote', link: 'identity' },
  { classes: 3, outputs: 3, aggregation: 'sum', link: 'identity' },
  { classes: 3, outputs: 3, aggregation: 'sum', link: 'softmax' },
  { classes: 3, outputs: 1, aggregation: 'sum', link: 'softmax', perClass: true },
  { classes: 0, outputs: 1, aggregation: 'sum', link: 'exp' },
  { classes: 0, outputs: 1, aggregation: 'mean', link: 'identity' },
  { classes: 3, outputs: 3, aggregation: 'mean', link: 'logit' },
  { classes: 3, outputs: 1, aggregation: 'sum', link: 'logit', perClass: true },
  { classes: 2, outputs: 2, aggregation: 'sum', link: 'logit' },
  { classes: 0, outputs: 1, aggregation: 'sum', link: 'softplus' },
  { classes: 0, outputs: 1, aggregation: 'sum', link: 'signed-square' },
  { classes: 2, outputs: 1, aggregation: 'mean', link: 'logit', members: MEMBERS },
  { classes: 2, outputs: 2, aggregation: 'mean', link: 'softmax', members: MEMBERS },
  { classes: 3, outputs: 3, aggregation: 'mean', link: 'identity', members: MEMBERS },
];

/** Few values, so that sums tie; `size` takes probabilities to where they round to 1. */
function document(dice: Dice, form: Form, size: number) {
  const trees = form.perClass || form.members ? 6 : 3;
  const leaf = () => dice.vector(form.outputs, () => size * dice.pick([-1, -0.5, 0, 0.5, 0.7, 1]));
  const sums = form.perClass ? form.classes : form.outputs;
  return {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'tree-ensemble',
    ...(form.classes ? { classes: ['a', 'b', 'c'].slice(0, form.classes) } : {}),
    features: [{ name: 'x', type: 'integer', min: 0, max: 9 }],
    parameters: {
      trees: Array.from({ length: trees }, () => chain(VALUES.map(leaf))),
      aggregation: form.aggregation,
      link: form.link,
      ...(form.members ? { members: form.members } : { base: dice.vector(sums, () => dice.pick([0, 0.25, -0.5])) }),
      ...(form.perClass ? { treeClass: Array.from({ length: trees }, (_, t) => t % form.classes) } : {}),
    },
  };
}

type Predicted = ReturnType<ReturnType<typeof loadModel>['predict']>;

/** The contract's words: past the boundary between two classes, else ahead of every rival, in score. */
function reaches(form: Form, predicted: Predicted, target: string, margin: number): boolean {
  const { prediction, scores } = predicted;
  if (prediction !== target) return false;
  if (margin === 0) return true;
  if (form.outputs === 1 && form.classes === 2) return scores[target] >= (form.link === 'logit' ? 0.5 : 0) + margin;
  return Object.entries(scores).every(([name, score]) => name === target || scores[target] - score >= margin);
}

async function expectAnswers(model: ReturnType<typeof loadModel>, policy: object, reached: readonly boolean[]) {
  const plan = await prepare(model, loadPolicy({ schema: 'elsewise.policy/v1', ...policy }));
  for (const x of VALUES) {
    const { status, counterfactuals } = plan.explain({ id: String(x), features: { x } });
    const costs = VALUES.filter((to) => reached[to]).map((to) => Math.abs(to - x));
    expect(status).toBe(reached[x] ? 'already' : costs.length ? 'found' : 'infeasible');
    if (status !== 'found') continue;
    expect(counterfactuals[0].cost).toBe(Math.min(...costs));
    expect(counterfactuals[0].proof.kind).toBe('optimal');
  }
}

describe.each(FORMS)('$classes classes, $outputs outputs, $aggregation, $link', (form) => {
  const dice = new Dice(12);
  const draws = [1, 1, 1, 0.01, 30].map((size) => document(dice, form, size));

  it('has one meaning of the target everywhere', async () => {
    for (const drawn of draws) {
      const model = loadModel(drawn);
      const predicted = VALUES.map((x) => model.predict({ x }));
      for (const target of model.classes)
        for (const margin of [0, 0.25, 0.5, 1]) {
          const reached = predicted.map((each) => reaches(form, each, target, margin));
          await expectAnswers(model, { target, margin }, reached);
        }
    }
  });

  it('takes intervals of the score with both ends', async () => {
    for (const drawn of draws) {
      const model = loadModel(drawn);
      const scores = VALUES.map((x) => {
        const { prediction, scores: all } = model.predict({ x });
        return model.classes.length ? all[model.classes[1]] : (prediction as number);
      });
      const ends = [...scores].sort((a, b) => a - b);
      for (const [from, to] of [
        [ends[3], ends[6]],
        [ends[8], ends[8]],
        [ends[9] * 1.0001 + 1e-9, Infinity],
      ]) {
        const target = { from, ...(to < Infinity ? { to } : {}), ...(model.classes.length ? { class: 'b' } : {}) };
        await expectAnswers(
          model,
          { target },
          scores.map((score) => score >= from && score <= to),
        );
      }
    }
  });
});

describe('a forest that says nothing sensible', () => {
  const dice = new Dice(1);
  const fault = (form: Form, change: object) => {
    const drawn = document(dice, form, 1);
    return faultOf(() => loadModel({ ...drawn, parameters: { ...drawn.parameters, ...change } }));
  };
  const [binary, , , , shares, , , , perClass, regressor] = FORMS;
  const voting = FORMS.find(({ members }) => members)!;

  it.each([
    ['votes of trees that have one number', binary, { aggregation: 'vote' }, 'aggregation'],
    ['softmax of one number', binary, { link: 'softmax' }, 'trees'],
    ['exp as a score of classes', shares, { link: 'exp' }, 'trees'],
    ['a class for trees with several outputs', shares, { treeClass: [0, 1, 0] }, 'trees'],
    ['softplus as a score of classes', perClass, { link: 'softplus' }, 'trees'],
    ['a logit of a regressor', regressor, { link: 'logit' }, 'trees'],
    ['members of other trees', voting, { members: [{ trees: 5, weight: 1 }] }, 'members'],
    ['members without a say', voting, { members: [{ trees: 6, weight: 0 }] }, 'members'],
    ['members that are added to a start', voting, { base: 1 }, 'members'],
    ['members of a sum', voting, { aggregation: 'sum' }, 'members'],
  ])('is refused by name: %s', (_, form, change, path) => {
    expect(fault(form, change).path).toBe(`model.parameters.${path}`);
  });
});

describe('a deep tree', () => {
  const deep = (levels: number) => {
    const leaves = Array.from({ length: levels + 1 }, (_, k) => [k % 2]);
    const parameters = { trees: [chain(leaves)], aggregation: 'sum', link: 'identity' };
    const features = [{ name: 'x', type: 'continuous' }];
    return {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'tree-ensemble',
      classes: ['a', 'b'],
      features,
      parameters,
    };
  };

  it('is answered up to 1000 levels, and refused by name beyond them', async () => {
    const plan = await prepare(loadModel(deep(1000)), loadPolicy({ schema: 'elsewise.policy/v1', target: 'b' }));
    expect(plan.explain({ id: 'r', features: { x: 0 } }).counterfactuals[0].changes[0].to).toBeCloseTo(0.5, 9);
    expect(faultOf(() => loadModel(deep(1001))).path).toBe('model.parameters.trees.left');
    expect(faultOf(() => loadModel(deep(200_000))).path).toBe('model.parameters.trees.left');
  });
});
