/**
 * Models that many versions of XGBoost, LightGBM and CatBoost made, and ONNX files: scores, sums and decisions of 60 rows each, half of them at thresholds and
 * their neighbours. `npm run interop` compares many more of them; scripts/interop-models.mjs made these.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { interopPage, readMatrix } from '../../../scripts/interop-page.mjs';
import { compare, readFixture } from '../../interop/boosters/parity.js';
import { MATRIX } from '../../interop/matrix.js';

const ROOT = fileURLToPath(new URL('../../fixtures/libraries', import.meta.url));
const ENDING = '.expected.json.gz';

describe.each(readdirSync(ROOT))('%s', (folder) => {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(ENDING));

  it.each(names)('%s', (name) => {
    const expected = readFixture(join(ROOT, folder), name.replace('.gz', ''));
    const row = compare(join(ROOT, folder), expected);
    expect(row.outcome).toBe(expected.refused === null ? 'works' : 'refused');
    expect(row.differing ?? 0, JSON.stringify(row)).toBe(0);
  });
});

describe('the matrix', () => {
  const rows = readMatrix(MATRIX);

  it('is the page docs/interop.md', () => {
    const page = readFileSync(new URL('../../../docs/interop.md', import.meta.url), 'utf8');
    expect(interopPage(rows) === page, 'run `node scripts/interop-page.mjs`').toBe(true);
  });

  it('has no model that differs, and a reason for each refusal', () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter(({ outcome, differing }) => outcome === 'works' && differing !== 0)).toEqual([]);
    expect(rows.filter(({ outcome, reason }) => outcome === 'refused' && !reason)).toEqual([]);
  });

  it('has a comparison for each file that the repository keeps', () => {
    const keys = new Set(
      rows.map(({ library, version, model, objective, data }) => `${library} ${version} ${model} ${objective} ${data}`),
    );
    for (const folder of readdirSync(ROOT))
      for (const name of readdirSync(join(ROOT, folder)).filter((file) => file.endsWith(ENDING))) {
        const { library, version, model, objective, data } = readFixture(join(ROOT, folder), name.replace('.gz', ''));
        expect(keys).toContain(`${library} ${version} ${model} ${objective} ${data}`);
      }
  });
});
