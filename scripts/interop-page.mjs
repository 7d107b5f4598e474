/**
 * The page docs/interop.md, from the files of test/interop/matrix: a table for each library with a row for each kind of model and a column for
 * each version. test/interop/matrix.ts describes a row of these files.
 *
 *   node scripts/interop-page.mjs       writes the page
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const WORKS = '✓';
const REFUSED = 'refused';
const ABSENT = '';

/** All rows of the folder, library by library. */
export function readMatrix(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.sort().flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

export function interopPage(rows) {
  const sections = groups(rows, ({ library }) => library).map(([library, own]) => section(library, own));
  return `${[INTRODUCTION, summary(rows), ...sections].join('\n\n')}\n`;
}

const INTRODUCTION = `# Checked models of other libraries

\`npm run interop\` installs many versions of the libraries and trains small models on made-up people with numbers, words and missing values. Each
model is saved by its library, imported here, and asked about the same rows. Half of the rows have a value at a threshold of the model, or its
neighbour as a number of 32 or 64 bits. A model works where no decision differs and no score differs by more than 0.000001, or 0.00001 for ONNX, relative
to scores above 1. This page is made of the results.

- ${WORKS} the model works.
- ${REFUSED}: the import ends with an error that names the reason. The reasons stand below each table.
- An empty cell: the version has no such model.
- Models in PMML are compared with JPMML's evaluator, whose version heads the column. Models of (sklearn2pmml) were exported, others were written by hand.`;

function summary(rows) {
  const working = rows.filter(({ outcome }) => outcome === 'works');
  const compared = working.reduce((sum, { rows: count }) => sum + count, 0);
  const differing = working.reduce((sum, row) => sum + row.differing, 0);
  const lines = [
    ['models', rows.length],
    ['that work', working.length],
    ['that are refused by name', rows.length - working.length],
    ['compared rows', compared],
    ['rows that differ', differing],
  ].map(([what, count]) => `| ${what} | ${count.toLocaleString('en')} |`);
  return ['| in all | |', '| --- | ---: |', ...lines].join('\n');
}

function section(library, rows) {
  const versions = groups(rows, ({ version }) => version).map(([version]) => version);
  versions.sort(byVersion);
  const kinds = groups(rows, ({ model, objective, data }) => [model, objective, data].join(' | '));
  const head = ['model', 'objective', 'data', ...versions];
  const table = [head.join(' | '), head.map(() => '---').join(' | '), ...kinds.map((kind) => line(kind, versions))];
  const largest = Math.max(0, ...rows.map(({ largestDifference }) => largestDifference ?? 0));
  const text = `Largest difference of a score: ${largest === 0 ? '0' : largest.toExponential(1)}.`;
  return [`## ${library}`, text, table.map((cells) => `| ${cells} |`).join('\n'), ...reasons(rows)].join('\n\n');
}

function line([kind, rows], versions) {
  const cells = versions.map((version) => {
    const row = rows.find((each) => each.version === version);
    return row ? { works: WORKS, refused: REFUSED }[row.outcome] : ABSENT;
  });
  return [kind, ...cells].join(' | ');
}

function reasons(rows) {
  const refused = rows.filter(({ outcome }) => outcome === 'refused');
  const found = groups(refused, ({ reason }) => reason);
  return found.length ? [found.map(([reason]) => `- refused: \`${reason}\``).join('\n')] : [];
}

function groups(rows, keyOf) {
  const found = new Map();
  for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]);
  return [...found];
}

const byVersion = (a, b) => a.localeCompare(b, 'en', { numeric: true });

export const writePage = () =>
  writeFileSync(join(ROOT, 'docs', 'interop.md'), interopPage(readMatrix(join(ROOT, 'test', 'interop', 'matrix'))));

if (process.argv[1] === fileURLToPath(import.meta.url)) writePage();
