/** The parity gate: a model that does not give the scores of its source library is refused. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { creditModel, faultOf, regressionModel } from '../../support/documents.js';

const p = 1 / (1 + Math.exp(-(0.01 * 41 + 0.002 * 2300 + 0.4 - 3.1)));
const ROW = [41, 2300, 'own'];
const withProbes = (probes: object) => loadModel({ ...creditModel(), probes });

describe('probes', () => {
  it('that agree let the model in', () => {
    expect(
      withProbes({
        rows: [ROW, ROW],
        scores: [
          [1 - p, p],
          [1 - p - 9e-7, p + 9e-7],
        ],
      }).name,
    ).toBe('credit');
  });

  it('that differ are refused with the row and by how much', () => {
    const fault = faultOf(() =>
      withProbes({
        rows: [ROW, ROW],
        scores: [
          [1 - p, p],
          [1 - p, p + 0.25],
        ],
      }),
    );
    expect(fault).toMatchObject({ code: 'bad-probe', exitCode: 2, path: 'model.probes.scores[1][1]' });
    expect(fault.message).toContain('for row 1');
    expect(fault.message).toContain('differ by 2.50e-1');
  });

  it('differ from 1e-6 on, and for float32 sources from 1e-4 on', () => {
    const off = (by: number, precision?: string) => () =>
      withProbes({ rows: [ROW], scores: [[1 - p, p + by]], precision });
    expect(faultOf(off(1.1e-6)).code).toBe('bad-probe');
    expect(off(5e-5, 'float32')().name).toBe('credit');
    expect(faultOf(off(1.1e-4, 'float32')).code).toBe('bad-probe');
  });

  it('of a regressor are its predictions, compared relative to their size', () => {
    const model = { ...regressionModel(), probes: { rows: [[1e6, 0]], scores: [[2000001 + 1]] } };
    expect(loadModel(model).name).toBe('price');
    expect(faultOf(() => loadModel({ ...model, probes: { rows: [[1e6, 0]], scores: [[2000001 + 3]] } })).code).toBe(
      'bad-probe',
    );
  });

  it.each([
    ['a row without scores', { rows: [ROW], scores: [] }, 'model.probes.scores'],
    ['one score of two', { rows: [ROW], scores: [[p]] }, 'model.probes.scores[0]'],
    ['a short row', { rows: [[41, 2300]], scores: [[1 - p, p]] }, 'model.probes.rows[0]'],
    ['a row of no known category', { rows: [[41, 2300, 'tent']], scores: [[1 - p, p]] }, 'model.probes.rows[0][2]'],
    [
      'a row with a value that the model cannot do without',
      { rows: [[null, 2300, 'own']], scores: [[1 - p, p]] },
      'model.probes.scores[0][0]',
    ],
  ])('with %s are refused', (_, probes, path) => {
    expect(faultOf(() => withProbes(probes)).path).toBe(path);
  });
});

describe('a loaded model', () => {
  it('predicts with the scores of its classes, by name', () => {
    const { prediction, scores } = loadModel(creditModel()).predict({ age: 41, income: 2300, housing: 'own' });
    expect(prediction).toBe('approved');
    expect(scores.approved).toBeCloseTo(p, 12);
  });

  it('refuses a row that misses a value, by its path', () => {
    const fault = faultOf(() => loadModel(creditModel()).predict({ age: 41, housing: 'own' }));
    expect(fault.message).toBe('features.income: is missing, and the model does not impute it');
  });

  it('carries the version under which a registry holds it', () => {
    expect(loadModel(creditModel()).version).toBeNull();
    expect(loadModel(creditModel(), { version: 3 }).version).toBe(3);
  });
});
