/**
 * Equation (1) by descents, for models with a gradient:
 *
 *   from several starts (home, the nearest rows of the training set that have the target), with C bracketed and bisected:
 *     C too large: the minimiser of loss + C cost is no answer       C small: it is one, and dearer than needed
 *   every descent starts where the one before ended; every answer is polished (polish.ts)
 *
 * The rule of the descents is L-BFGS or conjugate gradients.
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { type Limits, type Outcome, type Prepared, type Solver, withoutWaiting } from '../solver.js';
import { costScales } from './cost-scales.js';
import { Descent, type DirectionRule } from './descent.js';
import { Penalty } from './penalty.js';
import { type Asked, type Look, PersonSearch } from './person-search.js';
import { COARSE, FINE, Polish } from './polish.js';
import { TargetSamples } from './target-samples.js';

const SAMPLE_STARTS = 4;
/** C is looked for by this factor, so many times, and then bisected. */
const FACTOR = 8;
const BRACKETS = 8;
const BISECTIONS = 3;
const DESCENT = { iterations: 60, gain: 1e-4 };

export type RuleOf = (size: number) => DirectionRule;

export class GradientSearch implements Prepared {
  private readonly scale: Float64Array;
  private readonly samples: TargetSamples;

  constructor(
    private readonly problem: Problem,
    private readonly ruleOf: RuleOf,
  ) {
    this.scale = costScales(problem);
    this.samples = new TargetSamples(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    return withoutWaiting(this.steps(domain, limits));
  }

  *steps(domain: Domain, limits: Limits): Asked<Outcome> {
    const search = new PersonSearch(this.problem, domain, limits, this.scale);
    const polish = new Polish(search);
    const home = yield* search.askOne(search.home);
    const starts = new Starts(search, polish, this.ruleOf, home);
    let best = yield* starts.from(search.home);
    for (const start of search.isOver ? [] : yield* this.samples.nearest(search, SAMPLE_STARTS)) {
      if (search.isOver) break;
      best = cheaper(search, best, yield* starts.from(start));
    }
    if (best && !search.isOver) yield* polish.from(best, FINE);
    return search.outcome;
  }
}

const cheaper = (search: PersonSearch, a: Look | null, b: Look | null): Look | null =>
  a && !(b && search.costOf(b.x) < search.costOf(a.x)) ? a : b;

/** Descents from starts, with what they share. */
class Starts {
  private readonly y: Float64Array;
  private readonly penalty: Penalty;
  private readonly descent: Descent;

  constructor(
    private readonly search: PersonSearch,
    private readonly polish: Polish,
    ruleOf: RuleOf,
    home: Look,
  ) {
    this.y = new Float64Array(search.numbers.length);
    const missing = Number.isFinite(home.margin) && home.margin < 0 ? -home.margin : 1;
    this.penalty = new Penalty(search, missing);
    this.descent = new Descent(this.penalty, ruleOf(this.y.length), this.y.length);
  }

  /** A polished answer; null: none was found. The first one is the way into the region by linear models of the margin. */
  *from(start: Float64Array): Asked<Look | null> {
    const { search, polish } = this;
    const entered = yield* polish.enter(yield* search.askOne(start));
    if (search.isOver) return entered;
    this.penalty.begin(start, this.y);
    const found = yield* this.bisect(entered ? search.costOf(entered.x) : search.costOf(start));
    const best = cheaper(search, entered, found);
    return best && (yield* polish.from(best, COARSE));
  }

  /** The cheapest answer of loss + C cost over the values of C. */
  private *bisect(typicalCost: number): Asked<Look | null> {
    const { search } = this;
    let strength = 1 / (typicalCost > 0 ? typicalCost : 1);
    let [low, high] = [0, Infinity];
    let best: Look | null = null;
    for (let k = 0; k < BRACKETS + BISECTIONS && !search.isOver; k++) {
      const look = yield* this.descend(strength);
      if (look?.isAnswer) {
        best = cheaper(search, best, look);
        low = strength;
      } else high = strength;
      if (low > 0 && high < Infinity && high / low < 2) break;
      strength = low === 0 ? strength / FACTOR : high === Infinity ? strength * FACTOR : Math.sqrt(low * high);
    }
    return best;
  }

  private *descend(strength: number): Asked<Look | null> {
    const { search, penalty, y } = this;
    penalty.weigh(strength, y);
    this.descent.minimize(y, DESCENT);
    penalty.updateMultipliers(y);
    const x = search.place(penalty.columns(y));
    return x && (yield* search.askOne(x));
  }
}

/** A row of the table. The model must have a gradient. */
export const gradientSolver = (name: string, ruleOf: RuleOf, place: Solver['place']): Solver => ({
  name,
  place,
  accepts: ({ gradient }) => (gradient ? 'heuristic' : 'no'),
  prepare: (problem) => new GradientSearch(problem, ruleOf),
});
