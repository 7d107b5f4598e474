/** One case: asked of the product, judged by the oracle. */
import { Dice } from '../../support/dice.js';
import type { Row } from '../evaluate/features.js';
import { numbersOf } from '../evaluate/features.js';
import { type Case, Question } from '../question.js';
import { type Fault, fault } from './fault.js';
import { judgeFound } from './found.js';
import { judgeInfeasible } from './infeasible.js';
import { type Knowledge, tryEverything } from './knowledge.js';
import { ask, bytesOf, type Product, processorMs, type Result } from './product.js';
import { searchAnswers } from './search.js';

export interface Judgement {
  faults: Fault[];
  status: Result['status'] | 'refused' | 'threw';
  proof: string;
  solver: string;
  /** The first one. */
  answer: Row | null;
  /** Whether everything was tried. */
  exact: boolean;
  ms: number;
}

export async function judgeCase(asked: Case, product: Product, seed: number): Promise<Judgement> {
  const start = performance.now();
  let result: Result;
  let again: Result | null;
  let ms: number;
  try {
    const plan = await product.plan(asked);
    const before = processorMs();
    result = ask(plan, asked);
    again = isAskedAgain(processorMs() - before, seed) ? ask(plan, asked) : null;
    ms = performance.now() - start;
  } catch (error) {
    return thrown(error as Error, performance.now() - start);
  }
  const judged = await new CaseJudge(asked, product, new Dice(seed)).judge(result);
  const schema = product.schemaFault(result);
  if (schema) judged.faults.push(fault('breaks-schema', schema.slice(0, 300)));
  if (again && bytesOf(result) !== bytesOf(again) && !ranOutOfTime(result) && !ranOutOfTime(again))
    judged.faults.push(fault('not-repeatable', 'a second run gave other bytes'));
  const first = result.counterfactuals[0];
  return {
    ...judged,
    status: result.status,
    proof: first?.proof.kind ?? '',
    answer: (first?.features as Row | undefined) ?? null,
    solver: first?.solver ?? result.attempts.map(({ solver, outcome }) => `${solver}:${outcome}`).join(),
    ms,
  };
}

const ranOutOfTime = ({ reason, limitedBy, degraded }: Result): boolean =>
  limitedBy === 'time' || reason?.code === 'deadline' || degraded;

/** A row that takes the processor longer is asked a second time in one case of so many. */
const QUICK_MS = 25;
const SLOW_REPEATED = 8;

const isAskedAgain = (ms: number, seed: number): boolean => ms < QUICK_MS || seed % SLOW_REPEATED === 0;

/** A document that is refused by name is no fault of a row; the generator makes none that should be. */
function thrown(error: Error & { code?: string; path?: string }, ms: number): Judgement {
  const known = error.code === 'unsupported' || error.code === 'bad-document';
  const detail = `${error.path ?? ''}: ${error.message}`;
  return {
    faults: [fault(known ? 'refused' : 'throws', known ? detail : `${error.stack?.slice(0, 400)}`)],
    status: known ? 'refused' : 'threw',
    proof: '',
    solver: '',
    answer: null,
    exact: false,
    ms,
  };
}

/** A related question is asked for a hint, not for a proof. */
const HINT_MS = 100;

/** What costs clearly more than the answer says nothing about its proof; without an answer all is of interest. */
const cutoffOf = ({ counterfactuals: [first] }: Result): number =>
  first ? first.cost + 1e-3 * Math.abs(first.cost) + 1e-300 : Infinity;

class CaseJudge {
  private readonly question: Question;

  constructor(
    private readonly asked: Case,
    private readonly product: Product,
    private readonly dice: Dice,
  ) {
    this.question = new Question(asked);
  }

  async judge(result: Result): Promise<{ faults: Fault[]; exact: boolean }> {
    const { question } = this;
    const early = this.judgeEarly(result);
    if (early) return { faults: early, exact: true };
    const knowledge = await this.know(question, { result, cutoff: cutoffOf(result) });
    const context = { question, knowledge, know: (other: Question, cutoff?: number) => this.know(other, { cutoff }) };
    if (result.status === 'found') return { faults: judgeFound(result, context), exact: knowledge.exact };
    if (result.status === 'infeasible')
      return { faults: await judgeInfeasible(result, context), exact: knowledge.exact };
    const faults = knowledge.point ? [fault('given-up', describe(question, knowledge, result))] : [];
    return { faults, exact: knowledge.exact };
  }

  /** Rows that are bad, and rows that have the target as they are. */
  private judgeEarly(result: Result): Fault[] | null {
    const { question } = this;
    const readable = question.isReadable() && question.scores(question.factual).every(Number.isFinite);
    if (!readable) return result.status === 'invalid' ? [] : [fault('missed-invalid', 'the row has no finite score')];
    if (result.status === 'invalid')
      return [fault('wrong-invalid', `${result.reason?.path}: ${result.reason?.message}`)];
    const has = question.hasTarget(question.factual);
    if (result.status === 'already') return has === 'no' ? [fault('wrong-already', 'the row has not the target')] : [];
    return has === 'yes' ? [fault('missed-already', `status ${result.status}`)] : null;
  }

  /** All that can be found out: by trying everything, else by searching from answers that the product gives to related questions. */
  private async know(question: Question, { result, cutoff }: { result?: Result; cutoff?: number }): Promise<Knowledge> {
    const tried = tryEverything(question, cutoff);
    if (tried?.exact) return tried;
    const hints = result ? await this.hints(result) : [];
    if (tried?.point) hints.push(tried.point);
    return searchAnswers(question, this.dice, hints);
  }

  private async hints(result: Result): Promise<Float64Array[]> {
    const { features } = this.asked.model;
    const read = ({ counterfactuals }: Result) =>
      counterfactuals.map((answer) => numbersOf(features, answer.features as Row));
    const own = read(result);
    const norm = this.asked.policy.cost?.norm ?? 'l1';
    for (const other of (['l1', 'l2'] as const).filter((name) => name !== norm)) {
      const policy = { ...this.asked.policy, cost: { norm: other }, region: false, count: 1, deadlineMs: HINT_MS };
      try {
        own.push(...read(await this.product.explain({ ...this.asked, policy })));
      } catch {
        // The question itself was asked; a related one that fails gives no hint.
      }
    }
    return own;
  }
}

const describe = (question: Question, { best, point }: Knowledge, { attempts, reason }: Result): string =>
  `${reason?.code}; an answer costs ${best}: ${JSON.stringify([...point!])}; attempts ${attempts
    .map(({ solver, outcome }) => `${solver}:${outcome}`)
    .join()}; features ${question.features.map(({ name }) => name).join()}`;
