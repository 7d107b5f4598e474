/**
 * The explanation of one row where the model is scored elsewhere. The explanation never waits. It runs until a score is missing, stops, and
 * runs again from the beginning when the score is known. The explanation is deterministic and reaches the same place again. Long work is
 * not repeated: a search in progress continues where it yielded, without the rest of the explanation, and a finished search returns its
 * outcome again.
 */
import type { LoadedModel } from '../models/load.js';
import { KnownScores, type ScoreMemory, ScoresNeeded } from '../models/score-memory.js';
import { cloneDomain, type Domain } from '../policy/domain.js';
import { EFFORT_PER_MS } from '../problems/budget.js';
import type { Limits, Outcome, Prepared, ScoreBatch } from '../solvers/solver.js';

interface SuspendedSearch {
  readonly steps: Generator<ScoreBatch, Outcome, void>;
  readonly budget: Limits['budget'];
  /** The model inputs that the search waits for. */
  wanted: readonly Float64Array[];
  outcome: Outcome | null;
}

/** The result of an attempt, or the model inputs that have to be scored before the next attempt. */
export type Attempted<T> =
  | { readonly result: T; readonly inputs: null }
  | { readonly result: null; readonly inputs: readonly Float64Array[] };

/**
 * A round trip to a scorer counts as a millisecond of work. A search that asks for one point after the other ends by its effort, at the
 * same point for any latency.
 */
const ROUND_TRIP_EFFORT = EFFORT_PER_MS;

export class Suspension {
  private readonly scores = new KnownScores();
  private readonly searches: SuspendedSearch[] = [];
  /** The number of the next search of this attempt. */
  private next = 0;
  /** The search that waits for scores. */
  private waiting: SuspendedSearch | null = null;
  private earlierMs = 0;
  private sinceMs = 0;

  constructor(
    private readonly preprocessing: LoadedModel['preprocessing'],
    private readonly memory: ScoreMemory,
    private readonly ownTime: () => number,
  ) {}

  /** The time that the thread spent on this row. It must be read within an attempt, because other rows take turns meanwhile. */
  now(): number {
    return this.earlierMs + this.ownTime() - this.sinceMs;
  }

  attempt<T>(explain: () => T): Attempted<T> {
    this.next = 0;
    this.sinceMs = this.ownTime();
    this.memory.use(this.scores);
    try {
      if (this.waiting) this.goOn(this.waiting);
      return { result: explain(), inputs: null };
    } catch (error) {
      if (error instanceof ScoresNeeded) return { result: null, inputs: error.inputs };
      throw error;
    } finally {
      this.earlierMs = this.now();
    }
  }

  learn(inputs: readonly Float64Array[], raws: readonly Float64Array[]): void {
    this.memory.use(this.scores);
    for (const [k, x] of inputs.entries()) this.memory.learn(x, raws[k]);
  }

  /** The outcome of a solver. Its search continues where it stopped. */
  solve(prepared: Prepared, domain: Domain, limits: Limits): Outcome {
    if (!prepared.steps) return prepared.solve(domain, limits);
    const number = this.next++;
    this.searches[number] ??= {
      // A plan fills one domain for all rows, and other rows take turns while a search waits.
      steps: prepared.steps(cloneDomain(domain), limits),
      budget: limits.budget,
      wanted: [],
      outcome: null,
    };
    const search = this.searches[number];
    const outcome = search.outcome ?? this.goOn(search);
    if (search.budget !== limits.budget) limits.budget.spend(search.budget.spent);
    return outcome;
  }

  /** Continues until the search ends or waits. */
  private goOn(search: SuspendedSearch): Outcome {
    this.waiting = search;
    for (;;) {
      const missing = search.wanted.filter((x) => !this.memory.isKnown(x));
      if (missing.length) throw new ScoresNeeded(missing);
      const step = search.steps.next();
      if (step.done) {
        this.waiting = null;
        search.outcome = { ...step.value, x: step.value.x?.slice() ?? null };
        return search.outcome;
      }
      search.budget.spend(ROUND_TRIP_EFFORT);
      search.wanted = step.value.map((columns) => this.preprocessing.run(columns).slice());
    }
  }
}
