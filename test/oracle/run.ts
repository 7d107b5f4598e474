/** Many cases, one after the other: drawn, asked, judged, counted. */
import { Dice } from '../support/dice.js';
import { FAMILIES } from './evaluate/families.js';
import { type CaseOptions, drawCase, mix } from './generate/case.js';
import { cutOff } from './generate/ties.js';
import type { Fault } from './judge/fault.js';
import { type Judgement, judgeCase } from './judge/judge.js';
import type { Product } from './judge/product.js';
import { NORMS } from './policy/cost.js';
import type { Case } from './question.js';
import { Tally } from './report.js';
import { shrinkCase } from './shrink.js';

export interface RunOptions extends CaseOptions {
  seed: number;
  /** The first case, and how many. */
  first: number;
  rows: number;
}

/** Rows are small: what is not settled in this time never will be. */
const DEADLINE_MS = 400;

export const runOptions = (given: Partial<RunOptions> & Pick<RunOptions, 'seed' | 'rows'>): RunOptions => ({
  first: 0,
  families: FAMILIES,
  norms: NORMS,
  deadlineMs: DEADLINE_MS,
  ...given,
});

export interface Finding {
  index: number;
  family: string;
  norm: string;
  asked: Case;
  fault: Fault;
}

export interface Run {
  tally: Tally;
  findings: Finding[];
}

export const emptyRun = (): Run => ({ tally: new Tally(), findings: [] });

/** Judges one case and notes what it finds. */
export async function addCase(run: Run, asked: Case, product: Product, index: number): Promise<Judgement> {
  const judgement = await judgeCase(asked, product, mix(index, index));
  run.tally.add(asked, judgement);
  const place = { index, family: asked.model.family, norm: asked.policy.cost?.norm ?? 'l1', asked };
  for (const fault of judgement.faults) run.findings.push({ ...place, fault });
  return judgement;
}

/** Of the rows with an answer, the share that is asked again without that answer. */
const CUT_OFF = 0.5;

export async function runCases(product: Product, options: RunOptions, progress?: (run: Run) => void): Promise<Run> {
  const run = emptyRun();
  for (let index = options.first; index < options.first + options.rows; index++) {
    const asked = drawCase(options.seed, index, options);
    const { answer } = await addCase(run, asked, product, index);
    progress?.(run);
    const dice = new Dice(mix(options.seed + 4, index));
    const next = answer && dice.chance(CUT_OFF) ? cutOff(dice, asked, answer) : undefined;
    if (next) await addCase(run, next, product, index);
    if (next) progress?.(run);
  }
  return run;
}

const SHRINK = { tries: 400, ms: 15_000 };

/** The smallest case that still shows what was found. */
export const shrinkFinding = ({ asked, fault, index }: Finding, product: Product): Promise<Case> =>
  shrinkCase(asked, product, { code: fault.code, seed: mix(index, index), ...SHRINK });
