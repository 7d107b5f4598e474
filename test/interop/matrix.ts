/**
 * The matrix of models of other libraries. Each file of test/interop/matrix is a list of rows, written by `npm run interop`. The page
 * docs/interop.md is made of them by scripts/interop-page.mjs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MATRIX = fileURLToPath(new URL('./matrix', import.meta.url));

export interface MatrixRow {
  readonly library: string;
  readonly version: string;
  /** The kind of model in the words of its library: gbtree, dart, rf. */
  readonly model: string;
  readonly objective: string;
  /** What the columns of the training data have, and settings that matter: "categories and missing values, zero_as_missing". */
  readonly data: string;
  readonly outcome: 'works' | 'refused';
  /** Of a refused model: the message. */
  readonly reason?: string;
  /** Of a model that works: the number of compared rows, and how many of them differ in the decision or beyond the tolerance. */
  readonly rows?: number;
  readonly differing?: number;
  /** Between scores or sums, relative to sizes above 1. */
  readonly largestDifference?: number;
}

/** Replaces the rows of one file: those of a library, or of a kind of models that is made together. */
export function writeMatrix(name: string, rows: readonly MatrixRow[]): void {
  mkdirSync(MATRIX, { recursive: true });
  const lines = rows.map((row) => `  ${JSON.stringify(rounded(row))}`);
  writeFileSync(join(MATRIX, `${name}.json`), `[\n${lines.join(',\n')}\n]\n`);
}

/** Two digits say how near scores are. */
function rounded(row: MatrixRow): MatrixRow {
  const { largestDifference } = row;
  return largestDifference === undefined
    ? row
    : { ...row, largestDifference: Number(largestDifference.toPrecision(2)) };
}
