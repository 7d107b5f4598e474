/**
 * The ladder: the solvers that accept a problem, best first, each with a share of the row's budget. The first proved and verified answer
 * ends the climb. Otherwise the best verified answer wins and the result is degraded.
 */
import type { Attempt } from '../documents/result-document.js';
import type { Domain } from '../policy/domain.js';
import type { Budget } from '../problems/budget.js';
import type { Problem } from '../problems/problem.js';
import { solvers } from '../solvers/index.js';
import { prepareLater } from '../solvers/shared/prepare-later.js';
import type { Acceptance, LadderPlace, Limits, Outcome, Prepared, Solver } from '../solvers/solver.js';
import { OPTIMAL_GAP } from './result.js';
import type { Settled } from './settle.js';

export interface Rung {
  readonly solver: Solver;
  /** The rung's share of the remaining budget. */
  readonly share: number;
  /** The rung is asked only while the rungs above have no answer. */
  readonly isRescue: boolean;
  /** Prepared on first use, because the lower rungs are seldom needed. */
  readonly prepared: () => Prepared;
}

export interface Climb {
  readonly answer: Settled | null;
  readonly solver: string;
  /** A proved lower bound for every answer in this piece; Infinity: the piece has none. */
  readonly lowerBound: number;
  /** The solver reached its goal: an exact answer or a proof that none exists. */
  readonly finished: boolean;
  /** The answer depends on a tie in the model that rounding decides. */
  readonly isDoubtful?: true;
}

const NOTHING_KNOWN: Climb = { answer: null, solver: '', lowerBound: Number.NEGATIVE_INFINITY, finished: false };

/** Depths inside the region: first almost none, then deeper when rounding undid the answer. */
const NUDGES = [1e-12, 1e-10, 1e-8, 1e-6];
/** A solver's share of the remaining budget, by the rungs below it: exact solvers, only heuristics, only rescues, or none. */
const SHARE = { exact: 0.6, heuristic: 0.9, rescue: 0.95, last: 1 };

export function buildLadder(problem: Problem, wanted: readonly string[]): Rung[] {
  const auto = wanted.includes('auto');
  const accepting = solvers
    .filter((solver) => auto || wanted.includes(solver.name))
    .map((solver) => ({ solver, acceptance: solver.accepts(problem, solvers) }))
    .filter((rung) => rung.acceptance !== 'no')
    .map((rung) => ({ ...rung, place: placeOf(rung.solver, problem, wanted) }))
    .filter((rung) => rung.place !== 'by-name');
  const names = new Set(accepting.map(({ solver }) => solver.name));
  const rungs = accepting.filter(({ solver }) => !auto || !solver.partOf || !names.has(solver.partOf));
  return rungs.map(({ solver, place }, k) => {
    const share = SHARE[wantedBelow(rungs.slice(k + 1))];
    return { solver, share, isRescue: place === 'rescue', prepared: prepareLater(solver, problem, solvers) };
  });
}

/** What a rung has to leave work for. A rescue keeps a small share, so that an answer is found where answers abound. */
function wantedBelow(below: readonly { acceptance: Acceptance; place: LadderPlace }[]): keyof typeof SHARE {
  if (below.some(({ acceptance }) => acceptance === 'exact')) return 'exact';
  if (below.some(({ place }) => place === 'rung')) return 'heuristic';
  return below.length ? 'rescue' : 'last';
}

/** A solver that the policy names is a rung. */
const placeOf = (solver: Solver, problem: Problem, wanted: readonly string[]): LadderPlace =>
  wanted.includes(solver.name) ? 'rung' : (solver.place?.(problem) ?? 'rung');

export interface ClimbContext {
  readonly limits: Omit<Limits, 'nudge'>;
  readonly attempts: Attempt[];
  now(): number;
  solve(prepared: Prepared, domain: Domain, limits: Limits): Outcome;
  /** Turns columns into verified values, or null. */
  settle(x: Float64Array): Settled | null;
}

export function climb(ladder: readonly Rung[], domain: Domain, context: ClimbContext): Climb {
  let best = NOTHING_KNOWN;
  for (let k = 0; k < ladder.length; k++) {
    const rung = ladder[k];
    const { budget } = context.limits;
    if (k > 0 && best.answer && budget.isSpent) break;
    if (rung.isRescue && best.answer && !best.isDoubtful) continue;
    const step = tryRung(rung, domain, context, budget.share(rung.share));
    const winner = isBetter(step, best) ? step : best;
    best = provedTo(winner, Math.max(best.lowerBound, step.lowerBound), winner.finished);
    if (step.finished || isEnough(best, context.limits)) return provedTo(best, best.lowerBound, true);
  }
  return best;
}

/** The same answer under another bound. Most rows have one piece and one rung, and need no copy. */
export function provedTo(found: Climb, lowerBound: number, finished: boolean): Climb {
  const isTold = found.lowerBound === lowerBound && found.finished === finished;
  return isTold ? found : { ...found, lowerBound, finished };
}

/** Compares by cost. A doubtful answer wins only if there is no other. */
export function isBetter(one: Climb, other: Climb): boolean {
  if (!one.answer || !other.answer) return one.answer !== null;
  if (one.isDoubtful !== other.isDoubtful) return !one.isDoubtful;
  return one.answer.cost < other.answer.cost;
}

/** An answer that meets the bound of an earlier rung is proved, like an answer with its own proof. */
function isEnough(found: Climb, { anyAnswer, gap, cutoff }: ClimbContext['limits']): boolean {
  const { lowerBound } = found;
  const answer = found.isDoubtful ? null : found.answer;
  return (answer !== null && anyAnswer) || closes(lowerBound, Math.min(answer?.cost ?? Infinity, cutoff), gap);
}

/** Whether a bound makes further search useless for an answer of this cost. */
export const closes = (lowerBound: number, cost: number, gap: number): boolean =>
  lowerBound >= cost * (1 - Math.max(gap, OPTIMAL_GAP));

function tryRung({ solver, prepared }: Rung, domain: Domain, context: ClimbContext, budget: Budget): Climb {
  const { limits, attempts, now } = context;
  const start = now();
  let outcome: Outcome | undefined;
  let answer: Settled | null = null;
  let lowerBound = Number.NEGATIVE_INFINITY;
  for (const nudge of NUDGES) {
    outcome = context.solve(prepared(), domain, limitsOf(limits, budget, nudge));
    // The bound of a deeper attempt holds only for the narrowed region. The first attempt with a bound counts.
    if (lowerBound === Number.NEGATIVE_INFINITY) lowerBound = outcome.lowerBound;
    if (outcome.x) answer = context.settle(outcome.x);
    if (answer || (!outcome.x && outcome.status !== 'numerical')) break;
  }
  const proved = outcome!.status === 'infeasible' && lowerBound === Infinity;
  const finished = proved || (outcome!.status === 'solved' && answer !== null);
  const rejected = outcome!.x !== null && !answer;
  noteAttempt(attempts, solver.name, rejected ? 'rejected' : outcome!.status, now() - start);
  const found: Climb = { answer, solver: solver.name, lowerBound, finished };
  return answer !== null && outcome!.isDoubtful ? { ...found, isDoubtful: true } : found;
}

/** All limits in one literal: a spread takes as long as a small problem. */
function limitsOf(
  { seed, cutoff, gap, anyAnswer, memoryMb }: ClimbContext['limits'],
  budget: Budget,
  nudge: number,
): Limits {
  const limits: { readonly [K in keyof Required<Limits>]: Limits[K] } = {
    budget,
    nudge,
    seed,
    cutoff,
    gap,
    anyAnswer,
    memoryMb,
  };
  return limits;
}

/** From the most conclusive outcome to the least conclusive one. */
const SETTLED: readonly Attempt['outcome'][] = ['infeasible', 'solved', 'rejected', 'numerical', 'limit'];

/** One entry for each solver, over all of its pieces: the total time, and the least conclusive outcome. */
export function noteAttempt(attempts: Attempt[], solver: string, outcome: Attempt['outcome'], ms: number): void {
  const known = attempts.find((attempt) => attempt.solver === solver);
  if (!known) {
    attempts.push({ solver, outcome, ms: roundMs(ms) });
    return;
  }
  known.ms = roundMs(known.ms + ms);
  if (SETTLED.indexOf(outcome) > SETTLED.indexOf(known.outcome)) known.outcome = outcome;
}

export const roundMs = (ms: number): number => Math.round(ms * 1e4) / 1e4;
