/**
 * The XGBoost importer, end to end: fit_xgboost.py fits with the real library, the files that it saved are imported and
 * loaded here, and for rows that no model was fitted on every leaf, margin and score has to be XGBoost's own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importXgboost } from '../../src/formats/xgboost/xgboost.js';
import type { ModelDocument } from '../../src/index.js';
import { readRows } from '../../src/models/background.js';
import { type LoadedModel, loadModel, Scorer } from '../../src/models/load.js';
import { leavesOf, toValues } from '../support/library-parity.js';
import { fittedBy } from './fitted-by.js';

/** The library computes links in float32. */
const SCORE_TOLERANCE = 1e-6;

interface Expected {
  rows: (number | null)[][];
  /** [row][output] */
  scores: number[][];
  margins: number[][];
  /** [row][tree] */
  leaves: number[][];
  rounds: number;
  used: number;
}

/** Every case of fit_xgboost.py, with how many of its outputs are classes. */
const CASES: Record<string, number> = {
  binary: 2,
  'binary-base-score': 2,
  'binary-raw': 2,
  'binary-missing': 2,
  'binary-pruned': 2,
  'binary-early-stop': 2,
  'binary-categories': 2,
  'binary-one-hot-categories': 2,
  multi: 3,
  'multi-parallel': 3,
  regression: 0,
  absolute: 0,
  poisson: 0,
  gamma: 0,
  tweedie: 0,
  dart: 2,
  'dart-multi': 3,
  parallel: 0,
};

const folder = fittedBy('./fit_xgboost.py', 'python3-xgboost');

const readExpected = (name: string): Expected =>
  JSON.parse(readFileSync(join(folder, `${name}.expected.json`), 'utf8'));
const importFile = (file: string) => importXgboost(readFileSync(join(folder, file)));

function importCase(name: string): {
  document: ModelDocument;
  model: LoadedModel;
  expected: Expected;
  rows: Float64Array[];
} {
  const document = importFile(`${name}.json`);
  const expected = readExpected(name);
  const model = loadModel(document);
  return { document, model, expected, rows: readRows(toValues(document, expected.rows), model.space, 'rows') };
}

describe('fit_xgboost.py', () => {
  it('fits the cases that are tested here', () => {
    const fitted = readdirSync(folder).filter((file) => file.endsWith('.expected.json'));
    expect(fitted.map((file) => file.replace('.expected.json', '')).sort()).toEqual(Object.keys(CASES).sort());
  });

  it('stops one of them early, with trees left over', () => {
    const { rounds, used } = readExpected('binary-early-stop');
    expect(rounds).toBeGreaterThan(used);
    expect(importCase('binary-early-stop').document.parameters.trees).toHaveLength(used);
  });

  it.each(['binary-categories', 'binary-one-hot-categories'])('splits by categories in %s', (name) => {
    const { features } = importCase(name).document;
    expect(features[0]).toMatchObject({
      type: 'categorical',
      encoding: 'ordinal',
      categories: ['0', '1', '2', '3', '4'],
    });
  });

  it('names features', () => {
    expect(importCase('binary-base-score').document.features[1].name).toBe('feature 1');
  });
});

describe.each(Object.entries(CASES))('%s', (name, classCount) => {
  it('is the same document from JSON and from UBJSON', () => {
    expect(importFile(`${name}.ubj`)).toEqual(importFile(`${name}.json`));
  });

  it('has its classes', () => {
    expect(importCase(name).model.classes).toHaveLength(classCount);
  });

  it('falls into every leaf of XGBoost', () => {
    const { document, expected, rows } = importCase(name);
    expect(leavesOf(document, rows)).toEqual(expected.leaves);
  });

  it('has the margins of XGBoost', () => {
    const { model, expected, rows } = importCase(name);
    const scorer = new Scorer(model);
    for (const [r, row] of rows.entries()) {
      scorer.runValues(row);
      expect([...scorer.raw]).toEqual(expected.margins[r]);
    }
  });

  it('predicts and scores as XGBoost does', () => {
    const { document, model, expected } = importCase(name);
    for (const [r, row] of toValues(document, expected.rows).entries()) {
      const features = Object.fromEntries(document.features.map((feature, f) => [feature.name, row[f]]));
      expectPrediction(model.predict(features), expected.scores[r], expected.margins[r]);
    }
  });
});

function expectPrediction(own: ReturnType<LoadedModel['predict']>, scores: number[], margins: number[]): void {
  const shown = Object.values(own.scores);
  const near = (a: number, b: number) =>
    expect(Math.abs(a - b)).toBeLessThan(SCORE_TOLERANCE * Math.max(1, Math.abs(b)));
  if (typeof own.prediction === 'number') near(own.prediction, scores[0]);
  else
    expect(own.prediction).toBe(
      String(margins.length === 1 ? +(margins[0] > 0) : margins.indexOf(Math.max(...margins))),
    );
  if (shown.length === 2) near(shown[1], scores[0]);
  if (scores.length > 1) for (const [k, score] of scores.entries()) near(shown[k], score);
}
