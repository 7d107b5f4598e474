/**
 * `count` over the table of families: several answers that differ, each with the target by the model's own word. Different sets of changed
 * features come first. Where the model is only scored, the heuristics give several answers as well.
 */
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { prepare } from '../../src/explain/plan.js';
import { families } from '../../src/models/index.js';
import { type LoadedModel, loadModel } from '../../src/models/load.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { checkShape, clock } from '../support/asking.js';
import { Dice } from '../support/dice.js';
import { generators, randomModel, randomValue } from '../support/random-models.js';
import { opaque } from '../support/remote-models.js';

const COUNT = 3;
const ROWS = 40;
/** Rows that are explained: others are skipped, until there are so many. */
const EXPLAINED = 4;

/** A model with a background of random rows, and some of these rows. */
function draw(family: string, seed: number) {
  const dice = new Dice(seed);
  const { document } = randomModel(dice, family);
  const samples = Array.from({ length: ROWS }, () => document.features.map((feature) => randomValue(dice, feature)));
  const names = document.features.map(({ name }) => name);
  const rows = samples.map((row) => Object.fromEntries(names.map((name, f) => [name, row[f]])));
  return { loaded: loadModel({ ...document, background: { samples } }), rows };
}

/** The prediction of another row: some row has the target. */
function targetFor(loaded: LoadedModel, rows: readonly Record<string, never>[], row: Record<string, never>) {
  const own = loaded.predict(row).prediction;
  const others = rows.map((other) => loaded.predict(other).prediction).filter((prediction) => prediction !== own);
  if (!others.length) return undefined;
  const [other] = others;
  if (typeof other === 'string') return other;
  const middle = ((own as number) + other) / 2;
  return other > (own as number) ? { from: middle } : { to: middle };
}

const setOf = ({ changes }: ResultDocument['counterfactuals'][number]) => changes.map(({ feature }) => feature).join();

function check(loaded: LoadedModel, { counterfactuals, target }: ResultDocument): void {
  expect(new Set(counterfactuals.map(({ features }) => JSON.stringify(features))).size).toBe(counterfactuals.length);
  const costs = counterfactuals.map(({ cost }) => cost);
  expect([...costs].sort((a, b) => a - b)).toEqual(costs);
  for (const { features } of counterfactuals) {
    const { prediction } = loaded.predict(features);
    if (typeof target === 'string') expect(prediction).toBe(target);
    else {
      const { from = -Infinity, to = Infinity } = target as { from?: number; to?: number };
      expect(prediction).toBeGreaterThanOrEqual(from);
      expect(prediction).toBeLessThanOrEqual(to);
    }
  }
}

async function explainSome(view: (loaded: LoadedModel) => LoadedModel, family: string): Promise<ResultDocument[]> {
  const results: ResultDocument[] = [];
  for (let seed = 1; results.length < EXPLAINED && seed < 30; seed++) {
    const { loaded, rows } = draw(family, seed);
    const target = targetFor(loaded, rows as never, rows[0] as never);
    if (target === undefined) continue;
    const policy = loadPolicy({ schema: 'elsewise.policy/v1', target, count: COUNT, effort: 20_000 });
    const result = checkShape((await prepare(view(loaded), policy, clock)).explain({ id: 'r', features: rows[0] }));
    check(loaded, result);
    if (result.status === 'found') results.push(result);
  }
  return results;
}

const names = [...families.keys()].filter((family) => Object.hasOwn(generators, family));

describe.each(names)('%s', (family) => {
  it('has several answers that differ', async () => {
    const results = await explainSome((loaded) => loaded, family);
    expect(results.length).toBe(EXPLAINED);
    const several = results.filter(({ counterfactuals }) => counterfactuals.length > 1);
    expect(several.length).toBeGreaterThanOrEqual(EXPLAINED / 2);
    expect(several.some(({ counterfactuals }) => new Set(counterfactuals.map(setOf)).size > 1)).toBe(true);
  });

  it('has several answers where it is only scored', async () => {
    const results = await explainSome(opaque, family);
    expect(results.some(({ counterfactuals }) => counterfactuals.length > 1)).toBe(true);
  });
});
