/** Trees that list numbers in sets: answers are those of trying every number, whether the search is over one tree or many. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { faultOf } from '../../support/documents.js';

const NUMBERS = Array.from({ length: 21 }, (_, k) => 10 + k);

/** A split of `region` by a set or a threshold, and below it splits of the same feature and of `age`. */
function tree(dice: Dice) {
  const set = () => NUMBERS.filter(() => dice.chance(0.3));
  return {
    feature: [0, 0, 1, 0, 0, 0, 0],
    threshold: [0, dice.integer(12, 28) + 0.5, dice.integer(1, 4) - 0.5, 0, 0, 0, 0],
    left: [1, 3, 5, -1, -1, -1, -1],
    right: [2, 4, 6, -1, -1, -1, -1],
    value: Array.from({ length: 7 }, () => [dice.normal()]),
    categories: [set(), dice.chance(0.5) ? set() : null, null, null, null, null, null],
  };
}

const modelOf = (dice: Dice, trees: number, preprocessing: object[] = []) => ({
  schema: 'elsewise.model/v1',
  name: 'm',
  family: 'tree-ensemble',
  classes: ['no', 'yes'],
  features: [
    { name: 'region', type: 'integer', min: 10, max: 30 },
    { name: 'age', type: 'integer', min: 0, max: 5 },
  ],
  preprocessing,
  parameters: { trees: Array.from({ length: trees }, () => tree(dice)), aggregation: 'sum', link: 'logit' },
});

describe.each([1, 5])('%i trees with sets of numbers', (trees) => {
  it.each([[[]], [['region + age >= 17']]])(
    'are answered as by trying all, with constraints %j',
    async (constraints) => {
      const dice = new Dice(31);
      for (let round = 0; round < 40; round++) {
        const document = modelOf(dice, trees);
        const model = loadModel(document);
        const row = { region: dice.pick(NUMBERS), age: dice.integer(0, 5) };
        const policy = {
          schema: 'elsewise.policy/v1',
          target: 'yes',
          cost: { norm: dice.pick(['l1', 'l2']) },
          constraints,
        };
        const { status, counterfactuals } = (await planOf(document, policy)).explain({ id: 'r', features: row });
        if (status === 'already') continue;
        const power = policy.cost.norm === 'l1' ? 1 : 2;
        const all = NUMBERS.flatMap((region) => [0, 1, 2, 3, 4, 5].map((age) => ({ region, age })))
          .filter((to) => model.predict(to).prediction === 'yes')
          .filter((to) => !constraints.length || to.region + to.age >= 17)
          .map((to) => Math.abs(to.region - row.region) ** power + Math.abs(to.age - row.age) ** power);
        expect(status).toBe(all.length ? 'found' : 'infeasible');
        if (status !== 'found') continue;
        expect(counterfactuals[0].cost).toBe(Math.min(...all));
        expect(counterfactuals[0].proof.kind).toBe('optimal');
      }
    },
  );
});

describe('sets that no column holds', () => {
  const scale = { type: 'scale', mean: [1, 0], scale: [2, 1] };
  const mix = {
    type: 'affine',
    matrix: [
      [1, 1],
      [1, -1],
    ],
    offset: [0, 0],
  };

  it.each([
    ['scaled numbers', scale],
    ['mixed columns', mix],
  ])('are refused by name: %s', (_, step) => {
    const fault = faultOf(() => loadModel(modelOf(new Dice(2), 1, [step])));
    expect([fault.code, fault.path]).toEqual(['unsupported', 'model.preprocessing']);
  });
});
