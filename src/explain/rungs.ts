/**
 * A ladder of targets: an answer, or `count` answers, for each rung, each with its own proof or its own reason for infeasibility.
 *
 * The result has the target and the status of one rung:
 *
 *   found        the rung with the cheapest answer
 *   not-found    else the first rung without answer and proof
 *   infeasible   else the last rung that is proved to have no answer
 *   already      else every rung is reached, and the first counts
 *
 * All rungs share one preparation. Of n rungs the k-th (from 0) gets 1 / (n - k) of the remaining effort.
 */
import type { Attempt, RungDocument } from '../documents/result-document.js';
import { noteAttempt } from './ladder.js';
import type { Question } from './levers.js';
import type { Conclusion, ReportedAnswer } from './result.js';
import type { TargetPlan } from './search.js';

/** The conclusion of a rung. `already`: the row has the target. */
interface ConcludedRung {
  readonly target: TargetPlan;
  readonly conclusion: Conclusion | 'already';
}

export interface LadderConclusion {
  /** The target of the result. */
  readonly target: TargetPlan;
  /** Null: the row has every target. */
  readonly conclusion: Conclusion | null;
  readonly targets: RungDocument[];
}

export interface RungSearch {
  reaches(target: TargetPlan): boolean;
  conclude(target: TargetPlan, question: Question): Conclusion;
}

export function concludeRungs(
  targets: readonly TargetPlan[],
  question: Question,
  search: RungSearch,
): LadderConclusion {
  const reached = targets.map((target) => search.reaches(target));
  const rungs = targets.map((target, k): ConcludedRung => {
    if (reached[k]) return { target, conclusion: 'already' };
    const open = reached.slice(k).filter((isReached) => !isReached).length;
    return { target, conclusion: concludeRung(target, question, 1 / open, search) };
  });
  const { target, conclusion } = together(rungs);
  const shown = rungs.map(showRung);
  return { target, conclusion: conclusion && { ...conclusion, targets: shown }, targets: shown };
}

function concludeRung(target: TargetPlan, question: Question, share: number, search: RungSearch): Conclusion {
  const attempts: Attempt[] = [];
  const budget = question.budget.shareEffort(share);
  const conclusion = search.conclude(target, { ...question, attempts, budget });
  for (const { solver, outcome, ms } of attempts) noteAttempt(question.attempts, solver, outcome, ms);
  return { ...conclusion, answers: conclusion.answers.map((answer): ReportedAnswer => ({ ...answer, rung: target })) };
}

interface OpenRung extends ConcludedRung {
  readonly conclusion: Conclusion;
}

const isOpen = (rung: ConcludedRung): rung is OpenRung => rung.conclusion !== 'already';

function together(rungs: readonly ConcludedRung[]): Omit<LadderConclusion, 'targets'> {
  const open = rungs.filter(isOpen);
  const [told] = [
    ...open.filter(hasStatus('found')).sort((a, b) => leastCost(a) - leastCost(b)),
    ...open.filter(hasStatus('not-found')),
    ...open.filter(hasStatus('infeasible')).reverse(),
  ];
  if (!told) return { target: rungs[0].target, conclusion: null };
  const answers = open.flatMap(({ conclusion }) => conclusion.answers).sort((a, b) => a.settled.cost - b.settled.cost);
  const degraded = open.some(({ conclusion }) => conclusion.degraded);
  return { target: told.target, conclusion: { ...told.conclusion, answers, degraded } };
}

const hasStatus =
  (status: Conclusion['status']) =>
  ({ conclusion }: OpenRung): boolean =>
    conclusion.status === status;

const leastCost = ({ conclusion }: OpenRung): number => conclusion.answers[0].settled.cost;

function showRung({ target: { shown: target }, conclusion }: ConcludedRung): RungDocument {
  if (conclusion === 'already') return { target, status: 'already' };
  const { status, reason } = conclusion;
  return reason ? { target, status, reason } : { target, status };
}
