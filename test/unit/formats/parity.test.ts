/**
 * Tree models that the real libraries made (test/fixtures/forests, see make_fixtures.py there): every prediction, margin and
 * leaf of theirs has to be ours, for rows many of whose cells are thresholds or a last digit beside one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importXgboost } from '../../../src/formats/xgboost/xgboost.js';
import type { ModelDocument } from '../../../src/index.js';
import { readRows } from '../../../src/models/background.js';
import { type LoadedModel, loadModel, Scorer } from '../../../src/models/load.js';
import { leavesOf, toValues } from '../../support/library-parity.js';

const FOLDER = new URL('../../fixtures/forests/', import.meta.url);
const SUFFIX = '.expected.json';
/**
 * Relative to a margin above 1; by case, else by library. The exporter moves the offset of an isolation forest by 1e-12, so that ties are inliers.
 */
const MARGIN_TOLERANCE: Record<string, number> = {
  xgboost: 0,
  sklearn: 1e-12,
  'sklearn-isolation': 2e-12,
};
/** Of a number that is predicted: as near as its margin is, and the link's rounding. */
const PREDICTION_TOLERANCE = 2 ** -22;

interface Expected {
  rows: (number | null)[][];
  predictions: (string | number)[];
  margins: number[][];
  leaves: number[][];
}

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length));
const xgboostNames = names.filter((name) => name.startsWith('xgboost-'));

const read = (file: string) => readFileSync(new URL(file, FOLDER));
const readJson = <T>(file: string): T => JSON.parse(read(file).toString('utf8'));

function readDocument(name: string): ModelDocument {
  return name.startsWith('xgboost-') ? importXgboost(read(`${name}.json`)) : readJson(`${name}.model.json`);
}

function readCase(name: string): {
  document: ModelDocument;
  model: LoadedModel;
  expected: Expected;
  rows: Float64Array[];
} {
  const document = readDocument(name);
  const expected = readJson<Expected>(`${name}${SUFFIX}`);
  const model = loadModel(document);
  return { document, model, expected, rows: readRows(toValues(document, expected.rows), model.space, 'rows') };
}

const near = (own: number, other: number, tolerance: number) =>
  Math.abs(own - other) <= tolerance * Math.max(1, Math.abs(other));

describe('the fixtures', () => {
  it('are of every kind of tree model that is read', () => {
    expect(names.toSorted()).toEqual([
      'sklearn-boosting',
      'sklearn-boosting-multi',
      'sklearn-boosting-regression',
      'sklearn-extra-trees',
      'sklearn-forest',
      'sklearn-forest-regression',
      'sklearn-histogram',
      'sklearn-histogram-categories',
      'sklearn-isolation',
      'sklearn-tree',
      'sklearn-tree-regression',
      'xgboost-categories',
      'xgboost-dart',
      'xgboost-missing',
      'xgboost-multi',
      'xgboost-one-hot-categories',
      'xgboost-parallel',
      'xgboost-regression',
    ]);
  });

  it.each(['xgboost-missing', 'xgboost-categories', 'sklearn-histogram'])('lack some values in %s', (name) => {
    expect(readCase(name).expected.rows.flat()).toContain(null);
  });

  it.each(['xgboost-categories', 'xgboost-one-hot-categories', 'sklearn-histogram-categories'])(
    'split by sets of categories in %s',
    (name) => {
      const { trees } = readDocument(name).parameters as { trees: { categories?: (number[] | null)[] }[] };
      expect(trees.flatMap(({ categories = [] }) => categories).some((set) => set !== null)).toBe(true);
    },
  );
});

describe.each(xgboostNames)('%s', (name) => {
  it('is the same document from JSON and from UBJSON', () => {
    expect(importXgboost(read(`${name}.ubj`))).toEqual(readDocument(name));
  });
});

describe.each(names)('%s', (name) => {
  it('falls into every leaf of the library', () => {
    const { document, expected, rows } = readCase(name);
    expect(leavesOf(document, rows)).toEqual(expected.leaves);
  });

  it('has the margins of the library', () => {
    const { model, expected, rows } = readCase(name);
    const tolerance = MARGIN_TOLERANCE[name] ?? MARGIN_TOLERANCE[name.split('-')[0]];
    const scorer = new Scorer(model);
    const others = rows.flatMap((row, r) => {
      scorer.runValues(row);
      expect(scorer.raw).toHaveLength(expected.margins[r].length);
      return expected.margins[r].flatMap((margin, k) =>
        near(scorer.raw[k], margin, tolerance) ? [] : [{ row: r, output: k, own: scorer.raw[k], margin }],
      );
    });
    expect(others).toEqual([]);
  });

  it('predicts as the library does', () => {
    const { document, model, expected } = readCase(name);
    const others = toValues(document, expected.rows).flatMap((row, r) => {
      const features = Object.fromEntries(document.features.map((feature, f) => [feature.name, row[f]]));
      const [own, other] = [model.predict(features).prediction, expected.predictions[r]];
      const isSame = typeof other === 'number' ? near(Number(own), other, PREDICTION_TOLERANCE) : own === other;
      return isSame ? [] : [{ row: r, own, other }];
    });
    expect(others).toEqual([]);
  });
});
