/**
 * `npm run oracle`: as many rows as asked, from a new seed, which is printed; --seed replays a run. Not a part of `npm test`, which has
 * the short form.
 */
import { expect, it } from 'vitest';
import { conclude, product } from './conclude.js';
import { FAMILIES } from './evaluate/families.js';
import { NORMS } from './policy/cost.js';
import { isWrong } from './report.js';
import { type Run, runCases, runOptions } from './run.js';

const {
  ORACLE_SEED,
  ORACLE_ROWS = '5000',
  ORACLE_FIRST = '0',
  ORACLE_FAMILIES,
  ORACLE_NORMS,
  ORACLE_MONOTONE,
} = process.env;
const seed = Number(ORACLE_SEED ?? Math.floor(Math.random() * 1e9));
const REPORT_EVERY = 1000;

function chosen<T extends string>(text: string | undefined, all: readonly T[]): readonly T[] {
  const names = text?.split(',') ?? all;
  expect(names.filter((name) => !all.includes(name as T))).toEqual([]);
  return names as readonly T[];
}

let told = 0;
const progress = ({ tally, findings }: Run): void => {
  for (const { index, family, norm, fault } of findings.slice(told).filter(isWrong))
    console.log(`case ${index}, ${family}, ${norm}, ${fault.code}: ${fault.detail}`);
  told = findings.length;
  if (tally.rows % REPORT_EVERY === 0) console.log(`${tally.rows} rows, ${findings.filter(isWrong).length} wrong`);
};

it('finds nothing wrong', async () => {
  const [rows, first] = [Number(ORACLE_ROWS), Number(ORACLE_FIRST)];
  const monotone = ORACLE_MONOTONE === undefined ? undefined : Number(ORACLE_MONOTONE);
  const only = { families: chosen(ORACLE_FAMILIES, FAMILIES), norms: chosen(ORACLE_NORMS, NORMS) };
  console.log(`seed ${seed}, cases ${first} to ${first + rows - 1}`);
  await conclude(await runCases(product, runOptions({ seed, rows, first, monotone, ...only }), progress), seed);
});
