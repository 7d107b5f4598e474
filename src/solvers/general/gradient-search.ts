/**
 * Equation (1) by descents, for models with a gradient:
 *
 *   from several starts (home, the nearest rows of the training set that have the target), with C bracketed and bisected:
 *     C too large: the minimiser of loss + C cost is no answer       C small: it is one, and dearer than needed
 *   every descent starts where the one before ended; every answer is polished (polish.ts)
 *
 * The rule of the descents is L-BFGS or conjugate gradients.
 */
import type { Solver } from '../solver.js';
import { Descent, type DirectionRule } from './descent.js';
import { cheaper, generalSolver, polishBest, type SearchParts } from './general-search.js';
import { Penalty } from './penalty.js';
import type { Asked, Look, PersonSearch } from './person-search.js';
import { COARSE, type Polish } from './polish.js';

const SAMPLE_STARTS = 4;
/** C is looked for by this factor, so many times, and then bisected. */
const FACTOR = 8;
const BRACKETS = 8;
const BISECTIONS = 3;
const DESCENT = { iterations: 60, gain: 1e-4 };

export type RuleOf = (size: number) => DirectionRule;

function* descents(parts: SearchParts, ruleOf: RuleOf): Asked<void> {
  const { search, samples } = parts;
  const starts = new Starts(parts, ruleOf);
  const answers = [yield* starts.from(search.home)];
  for (const start of search.isOver ? [] : yield* samples.nearest(search, SAMPLE_STARTS)) {
    if (search.isOver) break;
    answers.push(yield* starts.from(start));
  }
  yield* polishBest(
    parts,
    answers.filter((look) => look !== null),
    1,
  );
}

/** Descents from starts, with what they share. */
class Starts {
  private readonly y: Float64Array;
  private readonly penalty: Penalty;
  private readonly descent: Descent;

  private readonly search: PersonSearch;
  private readonly polish: Polish;

  constructor({ search, polish, home }: SearchParts, ruleOf: RuleOf) {
    [this.search, this.polish] = [search, polish];
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
export const gradientSolver = (name: string, ruleOf: RuleOf, place: Solver['place']): Solver =>
  generalSolver(
    name,
    (parts) => descents(parts, ruleOf),
    place,
    ({ gradient }) => (gradient ? 'heuristic' : 'no'),
  );
