import { describe, expect, it } from 'vitest';
import type { PreprocessingStep } from '../../../src/documents/model-document.js';
import { pullBackVector } from '../../../src/linalg/affine.js';
import { buildPreprocessing } from '../../../src/models/preprocessing.js';
import { Dice } from '../../support/dice.js';
import { dotProduct } from '../../support/elimination.js';
import { randomPreprocessing } from '../../support/random-models.js';

/** The steps one after the other, as the contract says them. */
function runByHand(steps: readonly PreprocessingStep[], columns: readonly number[]): number[] {
  return steps.reduce<number[]>(
    (x, step) => {
      if (step.type === 'scale') return x.map((value, i) => (value - step.mean[i]) / step.scale[i]);
      if (step.type === 'impute')
        return x.map((value, i) => (Number.isNaN(value) ? (step.values[i] ?? Number.NaN) : value));
      if (step.type === 'monotone') return x.map((value, i) => (step.functions[i] ? Math.log1p(value) : value));
      return step.matrix.map((row, r) => dotProduct(row, x) + step.offset[r]);
    },
    [...columns],
  );
}

const chains = Array.from({ length: 60 }, (_, k) => {
  const dice = new Dice(k + 1);
  const columns = dice.integer(1, 6);
  const { steps, inputs } = randomPreprocessing(dice, columns);
  return { dice, columns, steps, inputs, built: buildPreprocessing(steps, columns) };
});

const expectClose = (found: ArrayLike<number>, expected: readonly number[]) => {
  expect(found.length).toBe(expected.length);
  expected.forEach((value, i) => {
    expect(Math.abs(found[i] - value)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(value)));
  });
};

describe('a chain of steps', () => {
  it('runs as written', () => {
    for (const { dice, columns, steps, inputs, built } of chains) {
      const row = dice.vector(columns);
      expect(built.inputs).toBe(inputs);
      expectClose(built.run(Float64Array.from(row)), runByHand(steps, row));
    }
  });

  it('is one affine map where nothing is missing', () => {
    for (const { dice, columns, built } of chains) {
      const row = Float64Array.from(dice.vector(columns));
      const x = [...built.run(row)];
      const mapped = x.map((_, k) => {
        const unit = Float64Array.from(x, (__, i) => Number(i === k));
        const { a, shift } = pullBackVector(built.map, unit);
        return dotProduct([...a], [...row]) + shift;
      });
      expectClose(mapped, x);
    }
  });

  it('gives a missing value the same inputs as the column value that the imputer stands for', () => {
    const imputing = chains.filter(({ steps }) => steps.some(({ type }) => type === 'impute'));
    expect(imputing.length).toBeGreaterThan(10);
    for (const { dice, columns, built } of imputing) {
      const row = dice.vector(columns);
      row[dice.integer(0, columns - 1)] = Number.NaN;
      const filled = row.map((value, c) => (Number.isNaN(value) ? built.imputed[c] : value));
      const x = [...built.run(Float64Array.from(row))];
      expectClose(built.run(Float64Array.from(filled)), x);
      expect(x.every(Number.isFinite)).toBe(true);
    }
  });
});

describe('imputation', () => {
  it('behind a scale is in scaled units', () => {
    const built = buildPreprocessing(
      [
        { type: 'scale', mean: [10], scale: [4] },
        { type: 'impute', values: [0.5] },
      ],
      1,
    );
    expect(built.imputed[0]).toBe(12);
  });

  it('leaves columns alone that it has no value for', () => {
    const built = buildPreprocessing([{ type: 'impute', values: [null, 7] }], 2);
    expect([...built.imputed]).toEqual([Number.NaN, 7]);
    expect([...built.run(Float64Array.from([Number.NaN, Number.NaN]))]).toEqual([Number.NaN, 7]);
  });

  it('is done by the first imputer that has a value', () => {
    const built = buildPreprocessing(
      [
        { type: 'impute', values: [null, 7] },
        { type: 'impute', values: [3, 4] },
      ],
      2,
    );
    expect([...built.imputed]).toEqual([3, 7]);
  });
});

describe('a monotone step', () => {
  type Monotone = Extract<PreprocessingStep, { type: 'monotone' }>;
  const step = (functions: Monotone['functions'], power = 0): Monotone => ({
    type: 'monotone',
    functions,
    powers: functions.map(() => power),
  });
  const POWERS = [-2, -0.5, 0, 0.3, 1, 2, 3.5];
  const functions = [
    { name: 'log1p' as const, power: 0 },
    ...POWERS.flatMap((power) => [
      { name: 'box-cox' as const, power },
      { name: 'yeo-johnson' as const, power },
    ]),
  ];

  it.each(functions)('%j increases, with the slope that it says', ({ name, power }) => {
    const { run, curves } = buildPreprocessing([step([name], power)], 1);
    const value = (x: number) => run(Float64Array.of(x))[0];
    const points = name === 'yeo-johnson' ? [-3, -0.5, 0, 0.5, 4] : [0.1, 0.7, 2, 9];
    for (const [i, x] of points.entries()) {
      if (i > 0) expect(value(x)).toBeGreaterThan(value(points[i - 1]));
      const slope = Float64Array.of(1);
      curves!.pullBack(Float64Array.of(x), slope);
      expect(slope[0]).toBeCloseTo((value(x + 1e-6) - value(x - 1e-6)) / 2e-6, 4);
    }
  });

  it('leaves other columns and missing values as they are, and is -Infinity below its domain', () => {
    const { run, runColumn } = buildPreprocessing([step(['log1p', null])], 2);
    expect([...run(Float64Array.of(Math.E - 1, 7))]).toEqual([Math.log1p(Math.E - 1), 7]);
    expect(run(Float64Array.of(Number.NaN, 7))[0]).toBeNaN();
    expect(runColumn!(0, -1)).toBe(Number.NEGATIVE_INFINITY);
    expect(runColumn!(0, -Number.MAX_VALUE)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('comes behind impute alone', () => {
    const log = step(['log1p']);
    const scale: PreprocessingStep = { type: 'scale', mean: [1], scale: [2] };
    const impute: PreprocessingStep = { type: 'impute', values: [3] };
    expect([...buildPreprocessing([impute, log, scale], 1).imputed]).toEqual([3]);
    expect(() => buildPreprocessing([scale, log], 1)).toThrow(/monotone must come before scale/);
    expect(() => buildPreprocessing([log, impute], 1)).toThrow(/impute must come before monotone/);
    expect(() => buildPreprocessing([step(['log1p', null])], 1)).toThrow(/expected 1 numbers/);
  });
});
