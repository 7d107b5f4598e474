/**
 * Explainable boosting machines that interpret made (test/fixtures/additive, see make_ebms.py there): its sums, scores and predictions are
 * ours, for missing values, unknown categories, and rows at every cut and the two numbers beside it. Files that it does not write are refused.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeAdditive } from '../../../src/formats/additive-features.js';
import { importEbm } from '../../../src/formats/ebm.js';
import type { ModelDocument } from '../../../src/index.js';
import { loadModel, Scorer } from '../../../src/models/load.js';
import { readRecord, recordOf } from '../../../src/models/read-row.js';
import { faultOf } from '../../support/documents.js';

const FOLDER = new URL(process.env.ADDITIVE_FIXTURES ?? '../../fixtures/additive/', import.meta.url);

interface Expected {
  rows: Record<string, string | number | boolean | null>[];
  scores: number[][];
  predictions: (string | number | boolean)[] | null;
  sums: number[][] | null;
}

const read = (file: string) => readFileSync(new URL(file, FOLDER));
const names = readdirSync(FOLDER)
  .filter((file) => /^ebm-[a-z]+\.json$/.test(file))
  .map((file) => file.slice(0, -'.json'.length));

/** As `--background` describes the features: booleans, whole numbers, and categories that the model does not know. */
function described(document: ModelDocument, { rows }: Expected): ModelDocument {
  const columns = document.features.map(({ name }) => rows.map((row) => row[name]));
  return { ...document, features: describeAdditive(document, columns).features };
}

describe('the fixtures', () => {
  it('are classifiers and regressors with mains, pairs and a triple', () => {
    expect(names.toSorted()).toEqual(['ebm-binary', 'ebm-log', 'ebm-mains', 'ebm-several', 'ebm-triple']);
  });
});

describe.each(names)('%s', (name) => {
  const expected = JSON.parse(read(`${name}.expected.json`).toString('utf8')) as Expected;
  const model = loadModel(described(importEbm(read(`${name}.json`)), expected));

  it('has the sums, the scores and the predictions of the library', () => {
    const scorer = new Scorer(model);
    const values = new Float64Array(model.space.features.length);
    let largest = 0;
    for (const [r, row] of expected.rows.entries()) {
      readRecord(model, recordOf(model, row), values);
      scorer.runValues(values);
      if (expected.sums) expect([...scorer.raw]).toEqual(expected.sums[r]);
      for (const [k, score] of scorer.show().entries())
        largest = Math.max(
          largest,
          Math.abs(score - expected.scores[r][k]) / Math.max(1, Math.abs(expected.scores[r][k])),
        );
      if (expected.predictions) expect(model.predict(row).prediction).toBe(String(expected.predictions[r]));
    }
    expect(largest).toBeLessThan(1e-12);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the JSON of another program
type Change = (ebm: any) => unknown;

describe('a file', () => {
  const whole = JSON.parse(read('ebm-binary.json').toString('utf8'));
  const changed = (change: Change) => {
    const copy = structuredClone(whole);
    change(copy.ebm);
    return () => importEbm(Buffer.from(JSON.stringify(copy)));
  };

  it.each<[string, Change, RegExp]>([
    ['of one class against the rest', (ebm) => (ebm.outputs[0].link = 'vlogit'), /support the link "vlogit"/],
    ['of several outputs', (ebm) => ebm.outputs.push(ebm.outputs[0]), /support models of several outputs/],
    [
      'with a term of four features',
      (ebm) => (ebm.terms[0].term_features = ['age', 'income', 'debt', 'housing']),
      /a term of 4 features \(age/,
    ],
    [
      'with a score that is no number',
      (ebm) => (ebm.terms[0].scores[1] = 'nan'),
      /terms\[0\]\.scores\[1\]: expected a finite number, got "nan"/,
    ],
    [
      'with a short term',
      (ebm) => ebm.terms[0].scores.pop(),
      /terms\[0\]\.scores: expected a list of \d+ entries for "age"/,
    ],
    ['with a term of an unknown feature', (ebm) => (ebm.terms[0].term_features = ['aje']), /no feature "aje"/],
    ['without terms', (ebm) => (ebm.terms = []), /terms/],
    ['without cuts', (ebm) => (ebm.features[0].cuts = undefined), /bins of "age" are missing/],
  ])('%s is refused by name', (_, change, words) => {
    expect((faultOf(changed(change)) as Error).message).toMatch(words);
  });

  it('that is no JSON is refused', () => {
    expect((faultOf(() => importEbm(Buffer.from('<PMML/>'))) as Error).message).toMatch(/is not valid JSON/);
  });
});
