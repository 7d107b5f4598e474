/**
 * What users of scikit-learn fit every day, on a table of text, whole numbers, amounts and missing values. Each estimator is exported or
 * refused with a way out. Scores of 1,000 unseen rows have to be scikit-learn's own, and scikit-learn's own `predict` judges every answer.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CounterfactualDocument,
  loadModel,
  loadPolicy,
  type ModelDocument,
  prepare,
  type ResultDocument,
  type RowValue,
} from '../../src/index.js';
import { fittedBy, runScript } from './fitted-by.js';

const TOLERANCE = 1e-9;
const EXPLAINED = 12;
const SCRIPT = './fit_everyday.py';
const DOCS = readFileSync(new URL('../../docs/scikit-learn.md', import.meta.url), 'utf8');

interface Expected {
  rows: Record<string, RowValue>[];
  predictions: string[];
  scores: number[][];
}

const folder = fittedBy(SCRIPT, 'python3-sklearn');

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

const WORKING = names('WORKS', 'REFUSED');
const REFUSED = names('REFUSED', '$');

/** The estimators that a dictionary of everyday_estimators.py lists. */
function names(dictionary: string, next: string): string[] {
  const source = readFileSync(new URL('./everyday_estimators.py', import.meta.url), 'utf8');
  const [, body = ''] = source.split(`\n${dictionary}: `);
  return [...body.split(`\n${next}: `)[0].matchAll(/^ {4}"([\w-]+)": Entry\(/gm)].map(([, name]) => name);
}

/** The second class, or a number that is reached by few rows. */
function targetOf({ classes }: ModelDocument, { scores }: Expected) {
  if (classes) return classes[1];
  const sorted = scores.map(([score]) => score).sort((a, b) => a - b);
  return { from: sorted[Math.floor(0.7 * sorted.length)] };
}

async function explain(name: string): Promise<ResultDocument[]> {
  const document = read<ModelDocument>(`${name}.model.json`);
  const expected = read<Expected>(`${name}.expected.json`);
  const target = targetOf(document, expected);
  const policy = loadPolicy({
    schema: 'elsewise.policy/v1',
    target,
    cost: { norm: 'l1', weights: 'mad' },
    deadlineMs: 300,
  });
  const plan = await prepare(loadModel(document), policy);
  const results: ResultDocument[] = [];
  for (const [i, features] of expected.rows.entries()) {
    const result = plan.explain({ id: String(i), features });
    if (result.status !== 'already') results.push(result);
    if (results.length === EXPLAINED) break;
  }
  return results;
}

const answersOf = (results: readonly ResultDocument[]): CounterfactualDocument[] =>
  results.flatMap(({ counterfactuals }) => counterfactuals ?? []);

describe('an estimator of every day', () => {
  const explained = new Map<string, ResultDocument[]>();

  beforeAll(async () => {
    for (const name of WORKING) {
      explained.set(name, await explain(name));
      const answers = answersOf(explained.get(name)!).map(({ features }) => features);
      writeFileSync(join(folder, `${name}.answers.json`), JSON.stringify(answers));
    }
    runScript(SCRIPT, [folder, 'judge'], 'python3-sklearn');
  });

  it.each(WORKING)('%s has the scores of scikit-learn', (name) => {
    const model = loadModel(read(`${name}.model.json`));
    const { rows, scores, predictions } = read<Expected>(`${name}.expected.json`);
    expect(rows.length).toBe(1000);
    for (const [i, row] of rows.entries()) {
      const own = model.predict(row);
      const given = model.classes.length ? model.classes.map((label) => own.scores[label]) : [own.prediction as number];
      for (const [k, score] of given.entries())
        expect(Math.abs(score - scores[i][k])).toBeLessThanOrEqual(TOLERANCE * Math.max(1, Math.abs(scores[i][k])));
      if (predictions.length) expect(own.prediction).toBe(predictions[i]);
    }
  });

  it.each(WORKING)('%s: scikit-learn agrees with every answer', (name) => {
    const answers = answersOf(explained.get(name)!);
    const target = targetOf(read(`${name}.model.json`), read(`${name}.expected.json`));
    const judged = read<(string | number)[]>(`${name}.judged.json`);
    expect(answers.length).toBe(EXPLAINED);
    if (typeof target === 'string') expect(judged).toEqual(answers.map(() => target));
    else for (const number of judged as number[]) expect(number).toBeGreaterThanOrEqual(target.from * (1 - TOLERANCE));
  });

  it.each(WORKING)('%s: no answer leaves the range of the data', (name) => {
    const { features } = read<ModelDocument>(`${name}.model.json`);
    for (const { features: answer, changes } of answersOf(explained.get(name)!))
      for (const { feature } of changes) {
        const document = features.find((f) => f.name === feature)!;
        const value = answer[feature];
        if (document.type === 'categorical') expect(document.categories).toContain(value);
        else if (document.type !== 'boolean') {
          const { min = -Infinity, max = Infinity } = document;
          expect(Number(value) >= min && Number(value) <= max).toBe(true);
        }
      }
  });
});

describe('what is refused', () => {
  it.each(REFUSED)('%s names a way out', (name) => {
    const { type, message } = read<Record<string, { type: string; message: string }>>('refusals.json')[name];
    expect(type).toBe('UnsupportedEstimator');
    expect(message).toMatch(/\b(use|run|export|encode|search with|fit|impute|black box|bin)\b/);
  });
});

describe('the table of the documentation', () => {
  it('says what the exporter does (test/interop/fit_everyday.py --table prints it)', () => {
    expect(existsSync(join(folder, 'table.md'))).toBe(true);
    expect(DOCS).toContain(readFileSync(join(folder, 'table.md'), 'utf8'));
  });
});
