/** Patterns of paths, against a folder that has what could be mistaken. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandGlob } from '../../../src/jobs/schedules/glob.js';

const FILES = [
  'b.csv',
  'a.csv',
  'a.csv.part',
  '.hidden.csv',
  'a1.ndjson',
  'axcsv',
  'sub/c.csv',
  'sub/deep/d.csv',
  'odd/[a](b){c}!+@.csv',
  '.git/e.csv',
];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'elsewise-glob-'));
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  mkdirSync(join(folder, 'folder.csv'));
  symlinkSync('a.csv', join(folder, 'link.csv'));
  symlinkSync('nowhere', join(folder, 'broken.csv'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const expand = async (pattern: string) =>
  (await expandGlob(join(folder, pattern))).map((path) => relative(folder, path));

describe('a pattern', () => {
  it.each([
    ['*.csv', ['a.csv', 'b.csv', 'link.csv']],
    ['?.csv', ['a.csv', 'b.csv']],
    ['a*', ['a.csv', 'a.csv.part', 'a1.ndjson', 'axcsv']],
    ['a.csv', ['a.csv']],
    ['none.csv', []],
    ['.*.csv', ['.hidden.csv']],
    ['*/*.csv', ['odd/[a](b){c}!+@.csv', 'sub/c.csv']],
    ['odd/[a](b){c}!+@.csv', ['odd/[a](b){c}!+@.csv']],
    ['odd/[a](b)*.csv', ['odd/[a](b){c}!+@.csv']],
    ['{a,b}.csv', []],
    ['sub/**', ['sub/c.csv', 'sub/deep/d.csv']],
    ['**/*.csv', ['a.csv', 'b.csv', 'link.csv', 'odd/[a](b){c}!+@.csv', 'sub/c.csv', 'sub/deep/d.csv']],
    ['**/deep/?.csv', ['sub/deep/d.csv']],
  ])('%s', async (pattern, expected) => {
    expect(await expand(pattern)).toEqual(expected);
  });

  it('in a folder that is not there is a mistake, not an empty list', async () => {
    await expect(expand('inbox/*.csv')).rejects.toThrow('no such folder');
  });
});
