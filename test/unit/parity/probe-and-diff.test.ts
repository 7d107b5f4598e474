/** Rows worth a comparison, and the changes between two versions of a model. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelDiffInWords } from '../../../src/cli/words/model-diff.js';
import { formats } from '../../../src/formats/index.js';
import { decisionChanges } from '../../../src/jobs/model-diff/decision-changes.js';
import { diffModels } from '../../../src/jobs/model-diff/model-diff.js';
import { probeRows } from '../../../src/jobs/parity/probe-rows.js';
import { isAtSplit, splitValues } from '../../../src/jobs/parity/split-values.js';
import { nextDown, nextUp } from '../../../src/linalg/floats.js';
import { showValue } from '../../../src/models/features.js';
import { type LoadedModel, loadModel, Scorer } from '../../../src/models/load.js';
import { readRecord } from '../../../src/models/read-row.js';
import { creditModel, edit, stump } from '../../support/documents.js';

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/forests/${name}`, import.meta.url));
const forest = loadModel(formats.get('xgboost')!.read(fixture('xgboost-missing.json'), {}));
const credit = loadModel(creditModel());

function decide(model: LoadedModel, row: Float64Array): number {
  const scorer = new Scorer(model);
  scorer.runValues(row);
  return model.model.decide(scorer.raw);
}

describe('rows of models probe', () => {
  it('are the same for a seed, and rows that the model takes', () => {
    for (const model of [
      forest,
      credit,
      loadModel(formats.get('xgboost')!.read(fixture('xgboost-categories.json'), {})),
    ]) {
      const rows = [...probeRows(model, 300, 7)];
      expect(rows).toHaveLength(300);
      expect(rows).toEqual([...probeRows(model, 300, 7)]);
      expect(rows).not.toEqual([...probeRows(model, 300, 8)]);
      const values = new Float64Array(model.space.features.length);
      for (const row of rows) {
        const raw = model.space.features.map((feature) => showValue(feature, row[feature.index]));
        readRecord(model, raw, values);
        expect(values).toEqual(row);
      }
    }
  });

  it('meet every threshold from both sides, and leave out values', () => {
    const splits = splitValues(forest);
    const total = splits.reduce((sum, values) => sum + values.length, 0);
    const rows = [...probeRows(forest, 16 * total, 1)];
    for (const [f, values] of splits.entries())
      for (const value of values)
        for (const beside of [value, nextUp(value), nextDown(value)])
          expect(rows.some((row) => row[f] === beside)).toBe(true);
    expect(rows.some((row) => row.some(Number.isNaN))).toBe(true);
    expect(rows.every((row) => isAtSplit(row, splits))).toBe(false);
  });

  it('come in pairs on both sides of a decision', () => {
    const rows = [...probeRows(credit, 200, 3)];
    const pairs = rows.flatMap((row) =>
      rows.filter((other) => {
        const far = row.filter((value, f) => value !== other[f] && !(Number.isNaN(value) && Number.isNaN(other[f])));
        return (
          far.length === 1 && Math.abs(row[1] / other[1] - 1) < 2e-9 && decide(credit, row) !== decide(credit, other)
        );
      }),
    );
    expect(pairs.length).toBeGreaterThan(20);
  });
});

describe('models diff', () => {
  it('finds nothing between equal documents, and only texts between documents that differ in labels', () => {
    expect(modelDiffInWords(diffModels(credit, loadModel(creditModel())))[1]).toBe('  the documents are the same');
    const described = loadModel({ ...creditModel(), description: 'for people' });
    expect(modelDiffInWords(diffModels(credit, described))[1]).toBe('  only texts for people differ');
  });

  it('tells features, classes, thresholds and weights in the units of the rows', () => {
    const changed = loadModel({
      ...creditModel(),
      features: [
        { name: 'income', type: 'continuous', min: 100, decimals: 0, unit: 'EUR/month' },
        { name: 'savings', type: 'continuous' },
        { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
      ],
      preprocessing: [{ type: 'scale', mean: [0, 0, 0, 0, 0], scale: [1000, 1, 1, 1, 1] }],
      parameters: { weights: [2, 0.5, 0.4, -0.1, 0], bias: -3.1, threshold: 0.6 },
    });
    const diff = diffModels(credit, changed);
    expect(diff.features).toMatchObject({ added: ['savings'], removed: ['age'], isReordered: false });
    expect(diff.features!.changed[0]).toMatchObject({
      feature: 'income',
      differences: [{ path: 'min', before: '0', after: '100' }],
    });
    expect(diff.threshold).toEqual({ before: 0.5, after: 0.6 });
    // 2 per scaled 1,000 is the old 0.002: the income has not changed.
    expect(diff.weights!.map(({ column, before, after }) => [column, before, after])).toEqual([
      ['savings', 0, 0.5],
      ['housing=rent', -0.3, -0.1],
      ['age', 0.01, 0],
    ]);
    const words = modelDiffInWords(diff).join('\n');
    for (const line of [
      '1 feature added: savings',
      'threshold: 0.5 -> 0.6',
      'preprocessing: none -> scale',
      'housing=rent: -0.3 -> -0.1',
    ])
      expect(words).toContain(line);
  });

  it('counts trees and splits, and rows of the background', () => {
    const one = loadModel({ ...creditModel(), family: 'decision-tree', parameters: stump(30) });
    const two = loadModel({
      ...creditModel(),
      family: 'decision-tree',
      parameters: stump(40),
      background: { samples: [[30, 1, 'own']] },
    });
    const diff = diffModels(one, two);
    expect(diff.background).toMatchObject({ before: 0, after: 1 });
    expect(diff.parameters).toEqual([{ path: 'tree.threshold[0]', before: '30', after: '40' }]);
    expect(diffModels(credit, one).trees).toEqual({
      before: null,
      after: { trees: 1, splits: 1, splitsByFeature: { age: 1 } },
    });
  });

  it('counts decisions that change for rows, by hand', () => {
    const stricter = loadModel(edit(creditModel(), ['parameters', 'threshold'], 0.7));
    const rows = [
      { id: 'low', values: Float64Array.of(30, 500, 0) },
      { id: 'between', values: Float64Array.of(40, 1400, 0) },
      { id: 'high', values: Float64Array.of(40, 4000, 0) },
    ];
    const changes = decisionChanges(credit, stricter, rows);
    expect(changes).toMatchObject({ rows: 3, changed: 1, moves: { 'approved -> rejected': 1 }, largestChange: 0 });
    expect(changes.first).toEqual([{ id: 'between', before: 'approved', after: 'rejected' }]);
    expect(modelDiffInWords(diffModels(credit, stricter), changes).join('\n')).toContain(
      'decisions that change: 1 of 3 rows (33.3 %)',
    );
  });

  it('leaves out rows that the second version cannot read', () => {
    const narrow = loadModel({
      ...creditModel(),
      features: [
        ...creditModel().features.slice(0, 2),
        { name: 'housing', type: 'categorical', categories: ['own', 'owned', 'free'] },
      ],
    });
    const rows = [{ id: 'a', values: Float64Array.of(30, 500, 1) }];
    expect(decisionChanges(credit, narrow, rows)).toMatchObject({ rows: 1, unreadable: 1, changed: 0 });
  });
});
