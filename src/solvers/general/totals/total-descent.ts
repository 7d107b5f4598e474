/**
 * The last part of a search whose cost has a term: from an answer to answers with a smaller total, by comparing points.
 *
 *   min T(x') = cost(x' - x) + term(x')   among answers
 *
 * A round scores points with a smaller total in one batch:
 *   single moves   a number up or down by its own step, another category, a feature put back to the row
 *   gradients      against the gradient of the Lagrangian  T - λ m,  m the margin, λ >= 0 such that m stays (a first-order step along the boundary)
 * and then all successful moves together (Hooke and Jeeves 1961). A successful step is doubled, other steps shrink. The cheapest answer is the next
 * point. The polish (polish/polish.ts) does not fit here: it assumes that the cost falls towards the row, and the total need not.
 */
import type { Feature } from '../../../models/features.js';
import { mayStand } from '../../../policy/domain.js';
import { hasMoved, isContinuous, nearestValue, nextValue, type Side } from '../../../policy/values.js';
import { spreadOf } from '../cost-scales.js';
import { type Asked, cheaper, type Look, type PersonSearch } from '../person-search.js';
import { BoundarySlope } from './boundary-slope.js';

const ROUNDS = 80;
/** A step that falls below this fraction of the first step is dropped. */
const LEAST_SHARE = 1e-7;
const WIDER = 2;
const NARROWER = 0.4;
/** A total that falls by less than this fraction counts as unchanged. */
const GAIN = 1e-10;
/** The descent ends after several rounds in a row that lower the total by less than this fraction. */
const SMALL_GAIN = 1e-7;
const SMALL_ROUNDS = 6;
/** Step lengths along the gradient, relative to the present step length. */
const SLOPE_STEPS = [1, 0.25];
/** The largest first step, in spreads of the number. */
const WIDEST = 4;

/** A point that differs from the present one in one feature. */
interface SingleMove {
  readonly feature: Feature;
  readonly x: Float64Array;
  /** True if the move was the number's own step up or down. */
  readonly isStep: boolean;
}

export function* descendTotal(search: PersonSearch, start: Look): Asked<Look> {
  const steps = new Steps(search, start.x);
  const slope = new BoundarySlope(search);
  let at = start;
  for (let round = 0, small = 0; round < ROUNDS && small < SMALL_ROUNDS && !steps.areOver && !search.isOver; round++) {
    const total = search.costOf(at.x);
    const below = total * (1 - GAIN);
    const { best, helped } = yield* trySingles(search, at, steps, below);
    const further = yield* tryTogether(search, at, helped, slope, steps, below);
    at = cheaper(search, cheaper(search, best, further), at)!;
    small = search.costOf(at.x) < total * (1 - SMALL_GAIN) ? 0 : small + 1;
  }
  return at;
}

/** Scores all single moves with a smaller total, and adapts the steps. */
function* trySingles(search: PersonSearch, at: Look, steps: Steps, below: number) {
  const moves = search.free.flatMap((feature) => [...singleMoves(search, feature, at.x, steps)]);
  const totals = new Map(moves.map((move) => [move, search.costOf(move.x)]));
  const worth = moves.filter((move) => totals.get(move)! < below && search.keeps(move.x));
  const looks = yield* search.ask(worth.map(({ x }) => x));
  const helped = worth
    .map((move, k) => ({ move, look: looks[k], total: totals.get(move)! }))
    .filter(({ look }) => look.isAnswer)
    .sort((a, b) => a.total - b.total);
  steps.learn(new Set(helped.filter(({ move }) => move.isStep).map(({ move }) => move.feature)));
  return { best: helped.length ? helped[0].look : null, helped: helped.map(({ move }) => move) };
}

/** Scores all successful moves together, the best for each feature, and steps along the gradient. */
function* tryTogether(
  search: PersonSearch,
  at: Look,
  helped: readonly SingleMove[],
  slope: BoundarySlope,
  steps: Steps,
  below: number,
): Asked<Look | null> {
  const points = slope.at(
    at,
    SLOPE_STEPS.map((share) => share * steps.reach),
  );
  if (helped.length > 1) points.push(joined(at.x, helped));
  const placed = points.flatMap((point) => search.place(point) ?? []);
  const asked = yield* search.ask(placed.filter((x) => search.costOf(x) < below));
  const mended = asked.filter(({ isAnswer }) => !isAnswer).flatMap((look) => search.place(slope.mended(look)) ?? []);
  const looks = [...asked, ...(yield* search.ask(mended.filter((x) => search.costOf(x) < below)))];
  const answers = looks.filter(({ isAnswer }) => isAnswer);
  steps.learnReach(answers.length > 0);
  return answers.reduce<Look | null>((a, b) => (a && search.costOf(a.x) <= search.costOf(b.x) ? a : b), null);
}

/** The best move of every feature. */
function joined(at: Float64Array, moves: readonly SingleMove[]): Float64Array {
  const x = at.slice();
  const done = new Set<Feature>();
  for (const { feature, x: moved } of moves) {
    if (done.has(feature)) continue;
    done.add(feature);
    for (let c = feature.column; c < feature.column + feature.width; c++) x[c] = moved[c];
  }
  return x;
}

function* singleMoves(
  search: PersonSearch,
  feature: Feature,
  x: Float64Array,
  steps: Steps,
): Generator<SingleMove, void, void> {
  const { domain } = search;
  const { column, width, kind } = feature;
  if (hasMoved(feature, domain.origin, x) && mayStand(domain, feature)) {
    const restored = x.slice();
    search.restore(feature, restored);
    yield { feature, x: restored, isStep: false };
  }
  if (kind !== 'choice') {
    for (const side of [1, -1] as const) {
      const value = movedNumber(search, feature, x[column], side * steps.of(feature), side);
      if (Number.isFinite(value) && value !== x[column]) yield { feature, x: x.with(column, value), isStep: true };
    }
    return;
  }
  for (let c = column; c < column + width; c++) {
    if (!(domain.upper[c] > 0) || x[c] === 1) continue;
    const other = x.slice();
    other.fill(0, column, column + width)[c] = 1;
    yield { feature, x: other, isStep: false };
  }
}

/** The value one step away. On a lattice, at least the next value. */
function movedNumber({ domain }: PersonSearch, feature: Feature, value: number, step: number, side: Side): number {
  const moved = nearestValue(domain, feature, value + step);
  return moved === value && !isContinuous(domain, feature) ? nextValue(domain, feature, value, side) : moved;
}

/** The next step of each number. */
class Steps {
  /** The length of a step along the gradient, in cost lengths. */
  reach: number;
  private readonly first: ReadonlyMap<Feature, number>;
  private readonly now: Map<Feature, number>;
  private readonly firstReach: number;

  constructor(search: PersonSearch, x: Float64Array) {
    const span = search.span(x);
    this.reach = this.firstReach = span > 0 ? span : 1;
    const numbers = search.free.filter(({ kind }) => kind !== 'choice');
    this.first = new Map(numbers.map((feature) => [feature, this.firstOf(search, feature)]));
    this.now = new Map(this.first);
  }

  private firstOf({ problem, scale, domain }: PersonSearch, feature: Feature): number {
    const width = domain.upper[feature.column] - domain.lower[feature.column];
    return Math.min(0.5 * this.firstReach * scale[feature.column], WIDEST * spreadOf(problem, feature), width / 2);
  }

  of(feature: Feature): number {
    return this.now.get(feature)!;
  }

  get areOver(): boolean {
    if (this.reach > LEAST_SHARE * this.firstReach) return false;
    return [...this.now].every(([feature, step]) => step <= LEAST_SHARE * this.first.get(feature)!);
  }

  learn(helped: ReadonlySet<Feature>): void {
    for (const [feature, step] of this.now)
      this.now.set(feature, helped.has(feature) ? Math.min(WIDER * step, this.first.get(feature)!) : NARROWER * step);
  }

  learnReach(hasHelped: boolean): void {
    this.reach = hasHelped ? Math.min(WIDER * this.reach, this.firstReach) : NARROWER * this.reach;
  }
}
