/** The oracle's own formulas against the product's scores: two implementations, one contract. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../dist/index.js';
import { FAMILIES } from './evaluate/families.js';
import { drawCase } from './generate/case.js';
import { readConstraint } from './policy/constraint.js';
import { changeRule, valuesOf } from './policy/values.js';
import { Question } from './question.js';
import { runOptions } from './run.js';

const MODELS = 80;

describe.each(FAMILIES)('%s', (family) => {
  it('scores and decides as the product does', () => {
    const options = runOptions({ seed: 7, rows: MODELS, families: [family] });
    let decided = 0;
    for (let index = 0; index < MODELS; index++) {
      const asked = drawCase(options.seed, index, options);
      const question = new Question(asked);
      const own = question.scores(question.factual);
      if (!question.isReadable() || !own.every(Number.isFinite)) continue;
      const error = 1e-9 + 1e3 * question.scoreError(question.factual);
      const { prediction, scores } = loadModel(asked.model).predict(asked.row);
      const theirs = question.classes.length ? question.classes.map((name) => scores[name]) : [prediction as number];
      for (const [k, score] of own.entries())
        if (Number.isFinite(error))
          expect(Math.abs(theirs[k] - score)).toBeLessThanOrEqual(error * Math.max(1, Math.abs(score)));
      const winner = question.predicted(question.factual);
      if (question.classes.length && winner >= 0) expect(prediction).toBe(question.classes[winner]);
      if (winner >= 0) decided++;
    }
    expect(decided).toBeGreaterThan(0.8 * MODELS);
  });
});

describe('conditions', () => {
  const features = [
    { name: 'x', type: 'continuous' as const },
    { name: 'b', type: 'boolean' as const },
    { name: 'k', type: 'categorical' as const, categories: ['red', 'green', 'blue'] },
    { name: 'r', type: 'categorical' as const, categories: ['low', 'mid', 'top'], encoding: 'ordinal' as const },
  ];
  it.each([
    ['2 * x - 1 <= 3', [2, 0, 0, 0], 'yes'],
    ['2 * x - 1 < 3', [2, 0, 0, 0], 'no'],
    ['x / 3 <= 0.1', [0.3, 0, 0, 0], 'yes'],
    ['x / 3 <= 0.1', [0.1 + 0.2, 0, 0, 0], 'near'],
    ['x < 0.7 + 1.6', [2.3, 0, 0, 0], 'no'],
    ['x - 0.7 < 1.6', [2.3, 0, 0, 0], 'no'],
    ['x - 0.7 <= 1.6', [2.3, 0, 0, 0], 'yes'],
    ['x - 0.7 != 1.6', [2.3, 0, 0, 0], 'no'],
    ['not x >= 1.6 + 0.7', [2.3, 0, 0, 0], 'no'],
    ['x - 0.7 < 1.6', [2.3 + 2 ** -51, 0, 0, 0], 'near'],
    ['x - 0.7 < 1.6', [2.2, 0, 0, 0], 'yes'],
    ['0 <= x <= 1', [1.5, 0, 0, 0], 'no'],
    ['b implies x > 2', [1, 0, 0, 0], 'yes'],
    ['b implies x > 2', [1, 1, 0, 0], 'no'],
    ['b implies x > 2', [1, Number.NaN, 0, 0], 'near'],
    ['not (b and x >= 1) or k = blue', [1, 1, 2, 0], 'yes'],
    ['k in (red, green)', [0, 0, 2, 0], 'no'],
    ['k not in (red, green)', [0, 0, 2, 0], 'yes'],
    ['r >= mid', [0, 0, 0, 1], 'yes'],
    ['r > mid', [0, 0, 0, 1], 'no'],
    ['x != 2', [2, 0, 0, 0], 'no'],
  ])('%s at %j: %s', (text, values, verdict) => {
    expect(readConstraint(text, features)(values)).toBe(verdict);
  });
});

describe('values', () => {
  const present = (from: number) => ({ from, missing: false });
  it.each([
    ['a step', {}, { step: 0.1, maxIncrease: 0.3, maxDecrease: 0 }, 0.3, [0.4, 0.5, 0.6]],
    ['decimals', { decimals: 1 }, { maxIncrease: 0.6, maxDecrease: 0 }, 0.3, [0.4, 0.5, 0.6, 0.7, 0.8, 0.9]],
    ['decimals of a row off its grid', { decimals: 1 }, { min: 0, max: 0.2 }, 0.15, [0, 0.1, 0.2]],
    ['a row outside of the bounds', { decimals: 0 }, { min: 0, max: 2 }, 4, [0, 1, 2, 3]],
    ['one way', { decimals: 0, min: 0, max: 5 }, { change: 'decrease' as const }, 2, [0, 1]],
    ['nothing', { decimals: 0, min: 0, max: 5 }, { change: 'never' as const }, 2, []],
  ])('%s', (_, shape, rule, from, expected) => {
    const feature = { name: 'x', type: 'continuous' as const, ...shape };
    const values = valuesOf(feature, rule, present(from));
    expect(values.kind === 'list' && values.values).toEqual(expected);
    for (const value of expected) expect(changeRule(feature, rule, present(from))(value)).toBeUndefined();
    expect(changeRule(feature, rule, present(from))(0.123456)).toBeDefined();
  });
});
