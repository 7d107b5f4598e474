/**
 * Models of the boosting libraries in many versions, and ONNX files, which scripts/interop.mjs has made under MODELS: a folder for each version. Every
 * comparison becomes a row of test/interop/matrix/LIBRARY.json.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compare, readFixture } from './boosters/parity.js';
import { type MatrixRow, writeMatrix } from './matrix.js';

const root = process.env.MODELS!;
const libraries = [...new Set(readdirSync(root).map((folder) => folder.split('-')[0]))];

describe.each(libraries)('%s', (library) => {
  const folders = readdirSync(root).filter((folder) => folder.startsWith(`${library}-`));
  const rows: MatrixRow[] = [];

  describe.each(folders)('%s', (folder) => {
    const names = readdirSync(join(root, folder)).filter((file) => file.endsWith('.expected.json'));
    it.each(names)('%s', (name) => {
      const row = compare(join(root, folder), readFixture(join(root, folder), name));
      rows.push(row);
      expect(row.differing ?? 0, JSON.stringify(row)).toBe(0);
    });
  });

  it('becomes rows of the matrix', () => {
    writeMatrix(library, rows);
    expect(rows.length).toBeGreaterThan(0);
  });
});
