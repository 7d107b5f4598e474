/**
 * The product judged from outside, on rough ground: random models, policies and rows of every family and norm, asked through the
 * public library as it was built, and judged by formulas, rules and searches that share no code with it.
 *
 * Here the seed is fixed unless ORACLE_SEED is given: every family and norm meets every policy entry, on a grid that can be tried in
 * full, besides rows of any kind. `npm run oracle` goes on from there, with new seeds.
 */
import { describe, expect, it } from 'vitest';
import { conclude, product } from './conclude.js';
import { FAMILIES } from './evaluate/families.js';
import { mix } from './generate/case.js';
import { drawEntries, entriesOf } from './generate/entries.js';
import { NORMS } from './policy/cost.js';
import { addCase, emptyRun, runCases, runOptions } from './run.js';

const seed = Number(process.env.ORACLE_SEED ?? 20);
const ROWS_OF_ANY_KIND = 100;

describe('the oracle', () => {
  it.each(FAMILIES)('finds nothing wrong with %s: every norm, every policy entry', async (family) => {
    const run = emptyRun();
    const met = new Set<string>();
    for (const [n, norm] of NORMS.entries()) {
      const options = runOptions({ seed, rows: 1, families: [family], norms: [norm] });
      const cases = drawEntries(entriesOf(family), mix(seed, n), options);
      for (const name of cases.keys()) met.add(name);
      for (const asked of new Set(cases.values())) await addCase(run, asked, product, run.tally.rows);
    }
    expect(met).toEqual(new Set(Object.keys(entriesOf(family))));
    await conclude(run, seed);
  });

  it('finds nothing wrong with rows of any kind', async () => {
    const run = await runCases(product, runOptions({ seed, rows: ROWS_OF_ANY_KIND }));
    for (const family of FAMILIES) for (const norm of NORMS) expect(run.tally.rowsOf(family, norm)).toBeGreaterThan(0);
    await conclude(run, seed);
  });
});
