/**
 * The answers of a policy with `path`: the ends of the shortest paths. The path is exact in its graph. The answer is a row of the
 * background and rarely the cheapest answer: its proof is `heuristic`. The absence of a path to the target proves nothing about answers
 * without a path.
 */
import type { Reason } from '../../documents/result-document.js';
import type { Question } from '../levers.js';
import { type Conclusion, type ReportedAnswer, reasonNotFound } from '../result.js';
import type { Person, TargetPlan } from '../search.js';
import type { Verifier } from '../verify.js';
import type { FoundPath } from './found-path.js';
import type { PathSearch } from './path-search.js';

/** The solver name in attempts and answers. */
export const PATH_SOLVER = 'path';

interface PathQuestion extends Pick<Question, 'attempts' | 'budget'> {
  readonly count: number;
  /** Whether two answers differ enough to report both. */
  differ(a: Float64Array, b: Float64Array): boolean;
}

export function concludePath(
  search: PathSearch,
  verifier: Verifier,
  person: Person,
  target: TargetPlan,
  question: PathQuestion,
): Conclusion {
  const answers: ReportedAnswer[] = [];
  search.run(person, target, question.budget, (path) => {
    const values = path.steps[path.steps.length - 1].values;
    if (answers.every(({ settled }) => question.differ(settled.values, values)))
      answers.push(answerOf(path, verifier.check(person.factual, person.baseline, values, target).cost));
    return answers.length < question.count ? 'go on' : 'enough';
  });
  const isCut = answers.length < question.count && question.budget.isSpent;
  if (answers.length) return { status: 'found', answers, degraded: isCut };
  const reason = isCut ? reasonNotFound(question) : noPath(search.settled);
  return { status: 'not-found', answers, reason, degraded: true };
}

function answerOf(path: FoundPath, cost: number): ReportedAnswer {
  const { values } = path.steps[path.steps.length - 1];
  return { settled: { values, cost }, solver: PATH_SOLVER, lowerBound: Number.NEGATIVE_INFINITY, path };
}

function noPath(reached: number): Reason {
  const how = reached
    ? `paths that keep the policy reach ${reached} background rows, and none of these may be the end`
    : 'the policy allows no background row as a first step';
  return { code: 'no-path', message: `${how}; an answer without a path may exist` };
}
