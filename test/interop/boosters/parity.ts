/** A model of another library and its import, row by row: what the scripts fit_*.py of this directory wrote against our own scores. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { nameCategories } from '../../../src/formats/described-features.js';
import { formats } from '../../../src/formats/index.js';
import { nameWords } from '../../../src/formats/one-hot-words.js';
import { ElsewiseError, loadModel, type ModelDocument, type RowValue } from '../../../src/index.js';
import { Scorer } from '../../../src/models/load.js';
import { readRecord } from '../../../src/models/read-row.js';
import type { MatrixRow } from '../matrix.js';

/** What a script says about a model: see fitting.py. */
export interface Expected {
  readonly library: string;
  readonly version: string;
  readonly model: string;
  readonly objective: string;
  readonly data: string;
  readonly files: readonly string[];
  /** By feature of categories: their names, in the order of the codes. */
  readonly categories: Readonly<Record<string, readonly string[]>>;
  readonly output: number | null;
  /** A part of the error of a model that is refused. */
  readonly refused: string | null;
  readonly rows?: readonly RowValue[][];
  readonly scores?: readonly (readonly number[])[] | null;
  readonly margins?: readonly (readonly number[])[] | null;
  /** Rows without a result of the library. */
  readonly invalid?: readonly RowValue[][];
  readonly decisions?: readonly number[] | null;
}

/** The largest difference of scores and sums, relative to sizes above 1. onnxruntime computes all sums in 32 bits. */
const TOLERANCE = 1e-6;
const TOLERANCE_OF: Readonly<Record<string, number>> = { onnx: 1e-5 };

export function readFixture(folder: string, name: string): Expected {
  return JSON.parse(readBytes(join(folder, name)).toString('utf8'));
}

/** Files in the repository are compressed. */
const readBytes = (path: string): Buffer =>
  existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));

/** The row of the matrix for a model. Every file of the model is imported, and the worst counts. */
export function compare(folder: string, expected: Expected): MatrixRow {
  const { library, version, model, objective, data } = expected;
  const head = { library, version, model, objective, data };
  if (expected.refused !== null) return { ...head, ...refusalOf(folder, expected) };
  const results = expected.files.map((file) => compareFile(importFile(folder, file, expected), expected));
  return {
    ...head,
    outcome: 'works',
    rows: expected.rows!.length,
    differing: Math.max(...results.map(({ differing }) => differing)),
    largestDifference: Math.max(...results.map(({ largest }) => largest)),
  };
}

function refusalOf(folder: string, expected: Expected): Pick<MatrixRow, 'outcome' | 'reason'> {
  const messages = expected.files.map((file) => {
    try {
      importFile(folder, file, expected);
    } catch (error) {
      if (error instanceof ElsewiseError && error.message.includes(expected.refused!)) return error.message;
      throw error;
    }
    throw new Error(`${file} is imported, and was to be refused for ${expected.refused}`);
  });
  return { outcome: 'refused', reason: messages[0] };
}

function importFile(folder: string, file: string, { library, output, categories }: Expected): ModelDocument {
  const format = formats.get(library)!;
  const document = format.read(readBytes(join(folder, file)), output === null ? {} : { output });
  return nameWords(
    { ...document, features: nameCategories(document.features, codedOf(document, categories)) },
    categories,
  );
}

/** Names of categories only where the file has codes: names that the file has are compared. */
function codedOf({ features }: ModelDocument, categories: Expected['categories']): Record<string, readonly string[]> {
  const isCoded = (name: string) =>
    features.some((feature) => {
      if (feature.name !== name) return false;
      return feature.type !== 'categorical' || feature.categories.every((category, code) => category === String(code));
    });
  return Object.fromEntries(Object.entries(categories).filter(([name]) => isCoded(name)));
}

function compareFile(document: ModelDocument, expected: Expected) {
  const model = loadModel(document);
  const scorer = new Scorer(model);
  const values = new Float64Array(document.features.length);
  let [differing, largest] = [0, 0];
  for (const [r, row] of expected.rows!.entries()) {
    readRecord(model, row, values);
    scorer.runValues(values);
    const difference = Math.max(
      distance(scorer.raw, expected.margins?.[r]),
      distance(shownScores(scorer.show(), document), expected.scores?.[r]),
    );
    const decision = expected.decisions?.[r];
    const isOther = decision !== undefined && model.model.decide(scorer.raw) !== decision;
    if (isOther || !(difference <= (TOLERANCE_OF[expected.library] ?? TOLERANCE))) differing++;
    largest = Math.max(largest, difference);
  }
  return { differing, largest };
}

/** Libraries predict one score for two classes: that of the second. */
function shownScores(scores: Float64Array, { classes }: ModelDocument): ArrayLike<number> {
  return classes?.length === 2 ? [scores[1]] : scores;
}

function distance(own: ArrayLike<number>, theirs: readonly number[] | undefined): number {
  if (!theirs) return 0;
  if (own.length !== theirs.length) return Infinity;
  return theirs.reduce((most, value, k) => Math.max(most, Math.abs(own[k] - value) / Math.max(1, Math.abs(value))), 0);
}
