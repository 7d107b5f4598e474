/**
 * What users of scikit-learn fit every day, on a table of text, whole numbers, amounts and missing values. Each estimator is exported or
 * refused with a way out. Scores of 1,000 unseen rows have to be scikit-learn's own, and scikit-learn's own `predict` judges every answer.
 * The policy is the one of `policies init`, from the rows that the estimator was fitted on.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutComments } from '../../src/documents/json-comments.js';
import {
  type CounterfactualDocument,
  loadModel,
  loadPolicy,
  type ModelDocument,
  prepare,
  type ResultDocument,
  type RowValue,
} from '../../src/index.js';
import { readRows } from '../../src/models/background.js';
import { recordOf } from '../../src/models/read-row.js';
import { draftPolicy } from '../../src/policy/draft/draft-policy.js';
import { parseTarget } from '../../src/policy/target.js';
import { EFFORT_PER_MS } from '../../src/problems/budget.js';
import { fittedBy, runScript } from './fitted-by.js';

/** By the arithmetic of the library: XGBoost computes in float32. */
const TOLERANCE = { float64: 1e-9, float32: 1e-6 };
const EXPLAINED = 12;
const SCRIPT = './fit_everyday.py';
/** Written where INTEROP says which libraries these are. */
const MATRIX = fileURLToPath(new URL('./matrix/scikit-learn.json', import.meta.url));
const DOCS = readFileSync(new URL('../../docs/scikit-learn.md', import.meta.url), 'utf8');

type Row = Record<string, RowValue>;

interface Expected {
  /** The rows that the estimator was fitted on: the data of the policy. */
  fitted: Row[];
  /** Rows that the estimator has not seen. */
  rows: Row[];
  predictions: string[];
  scores: number[][];
}

const folder = fittedBy(SCRIPT, 'python3-sklearn');

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

const HAS_ALL = process.env.INTEROP === 'newest';
const WORKING = [...names('WORKS', 'ELSEWHERE'), ...(HAS_ALL ? names('ELSEWHERE', 'REFUSED') : [])];
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

/** The work of the default deadline, with a clock that a busy machine does not strike. */
const WORK_OF_DEFAULT = { effort: 1000 * EFFORT_PER_MS, deadlineMs: 60_000 };

async function explain(name: string): Promise<ResultDocument[]> {
  const document = read<ModelDocument>(`${name}.model.json`);
  const expected = read<Expected>(`${name}.expected.json`);
  const model = loadModel(document);
  const target = parseTarget(targetOf(document, expected));
  const rows = readRows(
    expected.fitted.map((row) => recordOf(model, row).map((value) => value ?? null)),
    model.space,
    'rows',
  );
  const { text } = draftPolicy(model, { rows, origin: 'the data' }, target);
  const policy = loadPolicy({ ...JSON.parse(withoutComments(text)), ...WORK_OF_DEFAULT });
  const plan = await prepare(model, policy);
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

/** By estimator: how its row of the matrix ends. */
const compared = new Map<string, object>();

/** The rows of this version. Those of other versions stay. */
function writeMatrix(): void {
  const heads = read<Record<string, { version: string }>>('matrix.json');
  const own = [...compared].map(([name, outcome]) => ({ ...heads[name], ...outcome }));
  const before: { version: string }[] = existsSync(MATRIX) ? JSON.parse(readFileSync(MATRIX, 'utf8')) : [];
  const rows = [...before.filter(({ version }) => version !== own[0].version), ...own];
  rows.sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
  writeFileSync(MATRIX, `${JSON.stringify(rows, null, 2)}\n`);
}

afterAll(() => {
  if (process.env.INTEROP) writeMatrix();
});

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
    const tolerance = TOLERANCE[model.document.probes?.precision ?? 'float64'];
    expect(rows.length).toBe(1000);
    let [differing, largestDifference] = [0, 0];
    for (const [i, row] of rows.entries()) {
      const own = model.predict(row);
      const given = model.classes.length ? model.classes.map((label) => own.scores[label]) : [own.prediction as number];
      for (const [k, score] of given.entries()) {
        const difference = Math.abs(score - scores[i][k]) / Math.max(1, Math.abs(scores[i][k]));
        largestDifference = Math.max(largestDifference, difference);
      }
      if (predictions.length && own.prediction !== predictions[i]) differing++;
    }
    compared.set(name, { outcome: 'works', rows: rows.length, differing, largestDifference });
    expect(largestDifference).toBeLessThanOrEqual(tolerance);
    expect(differing).toBe(0);
  });

  it.each(WORKING)('%s: scikit-learn agrees with every answer', (name) => {
    const answers = answersOf(explained.get(name)!);
    const target = targetOf(read(`${name}.model.json`), read(`${name}.expected.json`));
    const judged = read<(string | number)[]>(`${name}.judged.json`);
    expect(answers.length).toBe(EXPLAINED);
    if (typeof target === 'string') expect(judged).toEqual(answers.map(() => target));
    else
      for (const number of judged as number[])
        expect(number).toBeGreaterThanOrEqual(target.from * (1 - TOLERANCE.float32));
  });

  it.each(WORKING)('%s: no answer leaves the range of the data', (name) => {
    const { fitted, rows } = read<Expected>(`${name}.expected.json`);
    for (const result of explained.get(name)!)
      for (const { feature, to } of (result.counterfactuals ?? []).flatMap(({ changes }) => changes)) {
        const seen = [...fitted, rows[Number(result.id)]].map((row) => row[feature]).filter((value) => value !== null);
        if (typeof to === 'string') expect(seen).toContain(to);
        else expect(Number(to)).toBeGreaterThanOrEqual(Math.min(...seen.map(Number)));
        if (typeof to !== 'string') expect(Number(to)).toBeLessThanOrEqual(Math.max(...seen.map(Number)));
      }
  });
});

describe('what is refused', () => {
  it.each(REFUSED)('%s names a way out', (name) => {
    const { type, message } = read<Record<string, { type: string; message: string }>>('refusals.json')[name];
    compared.set(name, { outcome: 'refused', reason: message });
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
