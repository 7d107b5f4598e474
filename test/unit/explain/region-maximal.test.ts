/** What `maximal` says of a region, tried out: no rank can be added, and no end moved by more than the documents tell. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';

const named = (document: object) => ({ schema: 'elsewise.model/v1', name: 'm', classes: ['n', 'y'], ...document });
const policy = (more: object = {}) => ({ schema: 'elsewise.policy/v1', target: 'y', region: true, ...more });

const RANKS = ['a', 'b', 'c', 'd', 'e'];
const ranked = { name: 'k', type: 'categorical', encoding: 'ordinal', categories: RANKS };

/** A chain of splits between ranks: the class by rank, with and without a second feature above 0. */
function rankTree(classes: readonly number[], below: readonly number[]) {
  const tree = { feature: [1], threshold: [0], left: [1], right: [0], value: [[0, 0]] };
  const addChain = (byRank: readonly number[]): number => {
    const first = tree.feature.length;
    for (const [rank, index] of byRank.entries()) {
      const [split, leaf] = [tree.feature.length, tree.feature.length + 1];
      const isLast = rank === byRank.length - 1;
      tree.feature.push(0, 0);
      tree.threshold.push(rank + 0.5, 0);
      tree.left.push(leaf, -1);
      tree.right.push(isLast ? leaf : split + 2, -1);
      tree.value.push([0, 0], [1 - index, index]);
      if (isLast) {
        for (const list of [tree.feature, tree.threshold, tree.left, tree.right]) list.splice(split, 1);
        tree.value.splice(split, 1);
        tree.right[split - 2] = split;
      }
    }
    return first;
  };
  tree.left[0] = addChain(below);
  tree.right[0] = addChain(classes);
  return { task: 'classification', tree };
}

describe('a region over ranks', () => {
  it('is called maximal only where no rank can be added', async () => {
    let [claimed, holes] = [0, 0];
    for (let seed = 1; seed <= 150; seed++) {
      const dice = new Dice(seed);
      const byRank = () => RANKS.map(() => dice.integer(0, 1));
      const features = [ranked, { name: 'b', type: 'continuous', min: -1, max: 1 }];
      const document = named({ family: 'decision-tree', features, parameters: rankTree(byRank(), byRank()) });
      const row = { k: dice.pick(RANKS), b: dice.between(-1, 1) };
      const [answer] = (await planOf(document, policy())).explain({ id: 'x', features: row }).counterfactuals;
      const region = answer?.region;
      if (!region || !('k' in region.features)) continue;
      const inside = (region.features.k as { in: string[] }).in;
      const range = (region.features.b ?? { from: row.b, to: row.b }) as { from: number; to: number };
      const model = loadModel(document);
      const holds = (k: string) => [range.from, range.to].every((b) => model.predict({ k, b }).prediction === 'y');
      const addable = RANKS.filter((k) => !inside.includes(k) && holds(k));
      if (region.proof.maximal) expect(addable).toEqual([]);
      claimed += +region.proof.maximal;
      holes += +(addable.length > 0);
    }
    expect(claimed).toBeGreaterThan(10);
    expect(holes).toBeGreaterThan(10);
  });

  it('is not maximal where a constraint leaves a rank out', async () => {
    const document = named({ family: 'hyperplane', features: [ranked], parameters: { weights: [1], bias: -0.5 } });
    const plan = await planOf(document, policy({ constraints: ['k in (a, b, d)'] }));
    const { region } = plan.explain({ id: 'x', features: { k: 'a' } }).counterfactuals[0];
    expect(region).toEqual({ features: { k: { in: ['b'] } }, proof: { kind: 'proved', maximal: false } });
  });
});

describe('an end of a continuous feature', () => {
  it('cannot be moved by more than the documents tell', async () => {
    let claimed = 0;
    for (let seed = 1; seed <= 80; seed++) {
      const dice = new Dice(seed);
      const features = [{ name: 'a', type: 'continuous', min: -100, max: 100 }];
      const means = [[dice.normal() * 5], [dice.normal() * 5]];
      const parameters = { means, variances: [[2], [dice.between(0.5, 1.9)]], priors: [0.5, 0.5] };
      const document = named({ family: 'gaussian-naive-bayes', features, parameters });
      const plan = await planOf(document, policy({ cost: { norm: 'l2' } }));
      const [answer] = plan.explain({ id: 'x', features: { a: dice.normal() * 5 } }).counterfactuals;
      if (!answer?.region?.proof.maximal) continue;
      claimed++;
      const at = answer.features.a as number;
      const { from, to } = answer.region.features.a as { from: number; to: number };
      const model = loadModel(document);
      for (const [end, side] of [
        [from, -1],
        [to, 1],
      ]) {
        const moved = end + side * 3e-6 * Math.max(Math.abs(end), Math.abs(end - at));
        expect(Math.abs(moved) > 100 || model.predict({ a: moved }).prediction === 'n').toBe(true);
      }
    }
    expect(claimed).toBeGreaterThan(10);
  });
});
