/** The end of a run: what was found is counted, shrunk, printed, and fails the test. */
import { expect } from 'vitest';
import * as library from '../../dist/index.js';
import { type Library, Product } from './judge/product.js';
import { groupsOf, isWrong, reproduction, rowsWith } from './report.js';
import { type Finding, type Run, shrinkFinding } from './run.js';

/** As it was built: what a user has. */
export const product = new Product(library as unknown as Library);

/** Of all rows, the share that may end without an answer although there is one. */
const GIVEN_UP = 0.001;
/** Groups of findings that are shrunk and printed. */
const PRINTED = 20;

async function describeFinding(finding: Finding, times: number): Promise<string> {
  const { index, family, norm, fault } = finding;
  const small = await shrinkFinding(finding, product);
  return `\n${times} x ${fault.code}: ${family}, ${norm} (case ${index})\n${fault.detail}\n${reproduction(small)}`;
}

export async function conclude({ tally, findings }: Run, seed: number): Promise<void> {
  console.log(`seed ${seed}\n${tally.lines(findings).join('\n')}`);
  const wrong = findings.filter(isWrong);
  const givenUp = rowsWith(findings, 'given-up');
  const allowed = Math.ceil(GIVEN_UP * tally.rows);
  const shown = givenUp > allowed ? findings : findings.filter((one) => isWrong(one) || one.fault.code === 'refused');
  for (const [finding, ...others] of [...groupsOf(shown).values()].slice(0, PRINTED))
    console.log(await describeFinding(finding, others.length + 1));
  expect(wrong.map(({ index, fault }) => `case ${index}, ${fault.code}: ${fault.detail}`)).toEqual([]);
  expect(rowsWith(findings, 'refused')).toBe(0);
  expect(givenUp).toBeLessThanOrEqual(allowed);
}
