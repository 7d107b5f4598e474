/**
 * Models in PMML and the results of JPMML's evaluator for their rows (test/fixtures/pmml, made by scripts/interop-pmml.mjs): thresholds and their
 * neighbours as numbers of 32 and 64 bits, missing values, and rows that the evaluator refuses.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importPmml } from '../../../../src/formats/pmml/pmml.js';
import { loadModel } from '../../../../src/index.js';
import { compare, readFixture } from '../../../interop/boosters/parity.js';
import { faultOf } from '../../../support/documents.js';

const FOLDER = fileURLToPath(new URL('../../../fixtures/pmml/', import.meta.url));
const SUFFIX = '.expected.json.gz';
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length));
const read = (name: string) => gunzipSync(readFileSync(`${FOLDER}${name}.pmml.gz`));
const expectedOf = (name: string) => readFixture(FOLDER, `${name}.expected.json`);

/** Models whose evaluator computes the link in 32 bits. */
const SINGLE = /^(mining-float|tree-float|sklearn-xgboost)/;

it('has models of every kind', () => {
  expect(names.length).toBeGreaterThan(60);
  const families = new Set(
    names.filter((name) => expectedOf(name).refused === null).map((name) => importPmml(read(name)).family),
  );
  expect([...families].sort()).toEqual([
    'additive',
    'decision-tree',
    'gaussian-naive-bayes',
    'hyperplane',
    'kernel-svm',
    'linear-regression',
    'logistic-regression',
    'mlp',
    'poisson-regression',
    'softmax-regression',
    'tree-ensemble',
  ]);
});

describe.each(names)('%s', (name) => {
  const expected = expectedOf(name);

  it('has the decisions and scores of the evaluator', () => {
    const row = compare(FOLDER, expected);
    expect(row.differing ?? 0).toBe(0);
    expect(row.largestDifference ?? 0).toBeLessThan(SINGLE.test(name) ? 2 ** -22 : 1e-9);
  });

  it('refuses rows that the evaluator refuses', () => {
    if (expected.refused !== null) return;
    const model = loadModel(importPmml(read(name)));
    for (const row of expected.invalid!) {
      const features = Object.fromEntries(model.space.features.map((feature, f) => [feature.name, row[f]]));
      expect(
        faultOf(() => model.predict(features)),
        JSON.stringify(row),
      ).toMatchObject({ code: 'bad-row' });
    }
  });
});
