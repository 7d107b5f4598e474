/** The same model, policy, row and seed give the same bytes, whatever was asked before. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { anyPart, question } from '../../support/questions.js';
import { modelDocument, policyDocument, type Row } from '../../support/second-opinion.js';

/** The bytes of a result but for its times. */
function bytesOf(result: ResultDocument): string {
  return JSON.stringify({
    ...result,
    elapsedMs: 0,
    attempts: result.attempts.map((attempt) => ({ ...attempt, ms: 0 })),
  });
}

/** A model and policy with a handful of rows: the question's own, and copies with other numbers. */
function portfolio(seed: number) {
  const [asked] = fc.sample(question({ part: anyPart, most: 5, constraints: 1, capped: true }), { seed, numRuns: 1 });
  const dice = new Dice(seed);
  const rows = Array.from({ length: 8 }, (): Row => {
    const moved = (name: string, integer: boolean) =>
      (asked.row[name] as number) + (integer ? dice.integer(-2, 2) : dice.normal());
    return Object.fromEntries(
      asked.features.map(({ name, type, categories }) => {
        if (type === 'boolean') return [name, dice.chance(0.5)];
        return [name, type === 'categorical' ? dice.pick(categories!) : moved(name, type === 'integer')];
      }),
    );
  });
  return {
    model: modelDocument(asked),
    policy: { ...policyDocument(asked), count: 2, region: true, deadlineMs: 20_000 },
    rows,
  };
}

const SEEDS = Array.from({ length: 8 }, (_, k) => k + 1);

describe('results', () => {
  it('are the same from a plan that has answered before and from a new one', async () => {
    for (const seed of SEEDS) {
      const { model, policy, rows } = portfolio(seed);
      const used = await planOf(model, policy);
      const first = rows.map((features, k) => bytesOf(used.explain({ id: `${k}`, features })));
      const again = rows.map((features, k) => bytesOf(used.explain({ id: `${k}`, features })));
      expect(again).toEqual(first);
      for (const [k, features] of rows.entries()) {
        expect(bytesOf((await planOf(model, policy)).explain({ id: `${k}`, features }))).toBe(first[k]);
      }
    }
  });

  it('do not depend on the order of rows', async () => {
    for (const seed of SEEDS) {
      const { model, policy, rows } = portfolio(seed);
      const plan = await planOf(model, policy);
      const inOrder = rows.map((features, k) => bytesOf(plan.explain({ id: `${k}`, features })));
      const other = await planOf(model, policy);
      const shuffled = new Dice(seed).shuffle([...rows.keys()]);
      for (const k of shuffled) expect(bytesOf(other.explain({ id: `${k}`, features: rows[k] }))).toBe(inOrder[k]);
    }
  });

  it('do not depend on how the row came: by name, or as a record of strings', async () => {
    for (const seed of SEEDS) {
      const { model, policy, rows } = portfolio(seed);
      const plan = await planOf(model, policy);
      for (const features of rows) {
        const record = model.features.map(({ name }) => String(features[name]));
        expect(bytesOf(plan.explainRecord('r', record))).toBe(bytesOf(plan.explain({ id: 'r', features })));
      }
    }
  });

  it('are not changed by results that came later: nothing of a plan leaks into them', async () => {
    const { model, policy, rows } = portfolio(3);
    const plan = await planOf(model, policy);
    const kept = plan.explain({ id: 'kept', features: rows[0] });
    const before = JSON.stringify(kept);
    for (const features of rows) plan.explain({ id: 'later', features });
    expect(JSON.stringify(kept)).toBe(before);
  });
});
