/**
 * Equation (1) by descents, for models with a gradient:
 *
 *   from several starts (home, the nearest rows of the training set that have the target), with C bracketed and bisected:
 *     large C: the minimiser of loss + C cost is no answer       small C: the minimiser is an answer that costs more than needed
 *   each descent starts where the last descent ended; each answer is polished (polish/polish.ts)
 *
 * The rule of the descents is L-BFGS or conjugate gradients.
 */
import type { Solver } from '../solver.js';
import { cheaperStarts } from './cheaper-starts.js';
import { Descent, type DirectionRule } from './descent.js';
import { generalSolver, polishBest, type SearchParts } from './general-search.js';
import { Penalty } from './penalty.js';
import { type Asked, cheaper, type Look, type PersonSearch } from './person-search.js';
import { COARSE, type Polish } from './polish/polish.js';

const SAMPLE_STARTS = 4;
const CHEAPER_STARTS = 6;
/** An answer that costs more than this multiple of the best answer is not polished. */
const WORTH = 1.5;
const SAME = 1e-6;
/** C is bracketed by the first factor, and then bisected until the bracket is below the second factor. */
const FACTOR = 8;
const BISECTED = 2;
/** The largest number of descents from the first start, and from each later start. */
const DESCENTS = 9;
const LATER_DESCENTS = 2;
const DESCENT = { iterations: 30, gain: 1e-3 };

export type RuleOf = (size: number) => DirectionRule;

function* descents(parts: SearchParts, ruleOf: RuleOf): Asked<void> {
  const { search, samples } = parts;
  const starts = new Starts(parts, ruleOf);
  const answers = [yield* starts.from(search.home)];
  for (const start of search.isOver ? [] : yield* samples.nearest(search, SAMPLE_STARTS)) {
    if (search.isOver) break;
    answers.push(yield* starts.from(start));
  }
  for (const start of search.isOver ? [] : yield* cheaperStarts(search, CHEAPER_STARTS)) {
    if (search.isOver) break;
    answers.push(yield* starts.near(start));
  }
  yield* polishBest(
    parts,
    answers.filter((look) => look !== null),
    1,
  );
}

/** Descents from several starts, and their common state. */
class Starts {
  /** The costs at which earlier starts entered the region. */
  private readonly known: number[] = [];
  /** The largest C with which the first start gave an answer. 0: not known. */
  private strength = 0;
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

  /** A polished answer. Null: none was found. The first attempt enters the region by linear models of the margin. */
  *from(start: Float64Array): Asked<Look | null> {
    const { search, polish } = this;
    const entered = yield* polish.enter(yield* search.askOne(start));
    if (search.isOver) return entered;
    this.penalty.begin(start, this.y);
    const found = yield* this.bisect(entered ? search.costOf(entered.x) : search.costOf(start));
    const best = cheaper(search, entered, found);
    return best && (yield* polish.from(best, COARSE));
  }

  /** A polished answer near a start, without descents. Null: none was found, or all cost much more than the best answer. */
  *near(start: Look): Asked<Look | null> {
    const { search, polish } = this;
    const entered = yield* polish.enter(start);
    const cost = entered ? search.costOf(entered.x) : Infinity;
    if (!entered || !(cost < WORTH * search.best.cost) || this.isKnown(cost)) return null;
    this.known.push(cost);
    return yield* polish.from(entered, COARSE);
  }

  /** Two starts that enter the region at the same cost are taken to enter at the same point. */
  private isKnown(cost: number): boolean {
    return this.known.some((other) => Math.abs(other - cost) <= SAME * cost);
  }

  /** The cheapest answer among the minimisers of loss + C cost for several C. Later starts begin with the C of the first start. */
  private *bisect(typicalCost: number): Asked<Look | null> {
    const { search } = this;
    const most = this.strength > 0 ? LATER_DESCENTS : DESCENTS;
    let strength = this.strength || 1 / (typicalCost > 0 ? typicalCost : 1);
    let [low, high] = [0, Infinity];
    let best: Look | null = null;
    for (let k = 0; k < most && high / low > BISECTED && !search.isOver; k++) {
      const look = yield* this.descend(strength);
      if (look?.isAnswer) {
        best = cheaper(search, best, look);
        low = strength;
      } else high = strength;
      strength = low === 0 ? strength / FACTOR : high === Infinity ? strength * FACTOR : Math.sqrt(low * high);
    }
    this.strength ||= low;
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
