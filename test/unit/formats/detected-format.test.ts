/** Formats are told from the content of files, not from their names. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { detectFormat } from '../../../src/formats/detected-format.js';

const FIXTURES = new URL('../../fixtures/', import.meta.url);

/** Model files below a folder: those that are neither expected scores nor rows. */
const filesOf = (folder: string): Buffer[] =>
  readdirSync(new URL(folder, FIXTURES))
    .filter((file) => !/expected|\.py$|^(people|unseen)|arrays/.test(file))
    .map((file) => {
      const bytes = readFileSync(new URL(`${folder}${file}`, FIXTURES));
      return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    });

const libraries = readdirSync(new URL('libraries/', FIXTURES));

it.each(libraries)('knows the files of %s', (folder) => {
  const found = new Set(filesOf(`libraries/${folder}/`).map(detectFormat));
  expect([...found]).toEqual([folder.split('-')[0]]);
});

it('knows models in PMML, also in two bytes for each letter', () => {
  const files = filesOf('pmml/');
  expect(new Set(files.map(detectFormat))).toEqual(new Set(['pmml']));
  const wide = Buffer.from(`\uFEFF${files[0].toString('utf8')}`, 'utf16le');
  expect(detectFormat(wide)).toBe('pmml');
});

it('knows an EBM, and no table', () => {
  expect(detectFormat(readFileSync(new URL('additive/ebm-binary.json', FIXTURES)))).toBe('ebm');
  expect(detectFormat(Buffer.from('feature,from,to,categories,points\n'))).toBeUndefined();
  expect(detectFormat(new Uint8Array())).toBeUndefined();
});
