/**
 * One answer, or `count` answers, for each lever (policy/levers.ts), each with its own proof or its own reason for infeasibility.
 *
 *   the row is   found        at least one lever has an answer
 *                infeasible   every lever is proved to have none
 *                not-found    else
 *
 * Every lever runs through the whole pipeline by itself. Of n levers the k-th (from 0) gets 1 / (n - k) of the remaining effort. The lever
 * with the cheapest answer comes first.
 */
import type { Attempt, LeverDocument, Reason } from '../documents/result-document.js';
import type { Budget } from '../problems/budget.js';
import { noteAttempt } from './ladder.js';
import type { Conclusion, ReportedAnswer } from './result.js';

/** A person's question. `own`: the row's own target, if given. */
export interface Question {
  readonly own: unknown;
  readonly attempts: Attempt[];
  readonly budget: Budget;
}

/** A group of features with the plan of its policy. */
export interface LeverPlan<P extends LeverSearcher = LeverSearcher> {
  readonly lever: string;
  readonly plan: P;
}

interface LeverSearcher {
  concludeFor(factual: Float64Array, question: Question): Conclusion;
}

interface LeverConclusion {
  readonly lever: string;
  readonly conclusion: Conclusion;
}

export function concludeLevers(levers: readonly LeverPlan[], factual: Float64Array, question: Question): Conclusion {
  const concluded = levers.map(({ lever, plan }, k): LeverConclusion => {
    const attempts: Attempt[] = [];
    const budget = question.budget.shareEffort(1 / (levers.length - k));
    const conclusion = plan.concludeFor(factual, { ...question, attempts, budget });
    for (const { solver, outcome, ms } of attempts) noteAttempt(question.attempts, solver, outcome, ms);
    return { lever, conclusion };
  });
  return { ...together(concluded), levers: concluded.map(showLever) };
}

function together(concluded: readonly LeverConclusion[]): Conclusion {
  const answers = concluded
    .filter(({ conclusion }) => conclusion.status === 'found')
    .sort((a, b) => leastCost(a) - leastCost(b))
    .flatMap(namedAnswers);
  const degraded = concluded.some(({ conclusion }) => conclusion.degraded);
  if (answers.length) return { status: 'found', answers, degraded };
  const open = concluded.find(({ conclusion }) => conclusion.status === 'not-found');
  if (open) return { status: 'not-found', answers, reason: open.conclusion.reason, degraded };
  return { status: 'infeasible', answers, reason: NO_LEVER, degraded };
}

const NO_LEVER: Reason = {
  code: 'infeasible',
  message: 'no lever leads to the target; `levers` has the reason of each lever',
};

const leastCost = ({ conclusion }: LeverConclusion): number => conclusion.answers[0].settled.cost;

const namedAnswers = ({ lever, conclusion }: LeverConclusion): ReportedAnswer[] =>
  conclusion.answers.map((answer) => ({ ...answer, lever }));

const showLever = ({ lever, conclusion: { status, reason } }: LeverConclusion): LeverDocument =>
  reason ? { lever, status, reason } : { lever, status };
