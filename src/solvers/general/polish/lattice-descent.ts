/**
 * From an answer to cheaper answers where features have discrete values: steps, categories, decimals, a cap on the number of changes. A rounded continuous
 * point misses the region, or lies too deep inside. Outer approximation (Duran and Grossmann 1986) searches the discrete values within linear models of
 * the margin (lattice-step.ts):
 *
 *   1. find the cheapest point within all known tangents, cheaper than the answer
 *   2. score the point: an answer is the next start, else the tangent at the point cuts the point off
 *
 * For a concave margin the tangents cut off no answer, and a search that finds no further point has found the optimum. A tangent that an observed margin
 * contradicts is dropped. The search then continues in boxes around the answer.
 */
import type { RelaxedProblems } from '../../reductions/relaxed-problems.js';
import { isOracle } from '../../shared/side-by-side.js';
import { type Asked, isSamePoint, type Look, type PersonSearch } from '../person-search.js';
import { LatticeStep } from './lattice-step.js';
import type { MarginSlope } from './margin-slope.js';
import { type MarginTangent, predicted, tangentAt } from './tangent-step.js';

/** The largest number of scored points; smaller for models that are scored elsewhere. */
const ROUNDS = 16;
const ORACLE_ROUNDS = 3;
/** The depths inside the region of the points of one batch, relative to the missing margin at the row. */
const DEPTHS = [0];
const ORACLE_DEPTHS = [0, 0.03, 0.1];
/** The radii of boxes, relative to the distance from the row. */
const RADII = [Infinity, 1, 0.25];
/** A new answer must be cheaper by this fraction. */
const GAIN = 1e-6;
/** Relative tolerances. A margin that is above a tangent by the first tolerance contradicts the tangent. A margin within the second tolerance touches it. */
const DOUBT = 1e-9;
const SAME = 1e-7;

export class LatticeDescent {
  private readonly step: LatticeStep;
  private readonly slope: Float64Array;
  private tangents: MarginTangent[] = [];
  private isConcave = true;
  private rounds = 0;
  private readonly depths: readonly number[];

  constructor(
    private readonly search: PersonSearch,
    problems: RelaxedProblems,
    private readonly slopes: MarginSlope,
  ) {
    this.step = new LatticeStep(search, problems);
    this.slope = new Float64Array(search.problem.space.columns);
    this.depths = isOracle(search.problem) ? ORACLE_DEPTHS : DEPTHS;
  }

  /** A cheaper answer, or the given answer. */
  *from(start: Look): Asked<Look> {
    this.begin();
    let at = start;
    for (const radius of RADII) {
      at = yield* this.within(at, radius * this.search.span(at.x));
      if (this.isConcave) break;
    }
    return at;
  }

  /** An answer, starting from a point outside of the region. Null: none was found. */
  *enter(start: Look): Asked<Look | null> {
    this.begin();
    let at = start;
    while (!at.isAnswer && this.mayAsk) {
      const next = (yield* this.learn(at)) ? yield* this.ask(at, Infinity, Infinity) : null;
      if (!next) return null;
      at = next;
    }
    return at.isAnswer ? at : null;
  }

  private begin(): void {
    this.tangents = [];
    this.isConcave = true;
    this.rounds = isOracle(this.search.problem) ? ORACLE_ROUNDS : ROUNDS;
  }

  private get mayAsk(): boolean {
    return this.rounds > 0 && !this.search.isOver;
  }

  /** Repeats within a box until no point within the tangents is cheaper. */
  private *within(start: Look, radius: number): Asked<Look> {
    const { search } = this;
    let at = start;
    if (radius < Infinity) this.tangents = [];
    for (let asked: Look | null = start; asked && this.mayAsk && (yield* this.learn(asked)); ) {
      asked = yield* this.ask(at, radius, search.costOf(at.x) * (1 - GAIN));
      if (asked?.isAnswer) at = asked;
    }
    return at;
  }

  /** Scores the cheapest point within the tangents. A batch may also have points further inside. Returns the best point. */
  private *ask(at: Look, radius: number, below: number): Asked<Look | null> {
    const missing = Math.max(0, -predicted(this.tangents[0], this.search.home).value);
    const points: Float64Array[] = [];
    for (const share of this.depths) {
      const deeper = this.tangents.map((tangent) => ({ ...tangent, depth: tangent.depth + share * missing }));
      const x = this.step.solve(deeper, at.x, radius, below);
      if (!x) break;
      if (!points.some((point) => isSamePoint(point, x))) points.push(x);
    }
    this.rounds--;
    const looks = yield* this.search.ask(points);
    for (const look of looks) this.dropContradicted(look);
    return looks.find(({ isAnswer }) => isAnswer) ?? looks[0] ?? null;
  }

  /** Adds the tangent at a point, unless a known tangent touches the margin at that point. False: the margin is flat. */
  private *learn(look: Look): Asked<boolean> {
    if (this.tangents.some((tangent) => touches(tangent, look))) return true;
    if (!(yield* this.slopes.at(look.x, look.margin, this.slope))) return false;
    this.tangents.push(tangentAt(this.search, look, this.slope));
    return true;
  }

  private dropContradicted({ x, margin }: Look): void {
    const kept = this.tangents.filter((tangent) => {
      const { value, size } = predicted(tangent, x);
      return value >= margin - DOUBT * size;
    });
    if (kept.length < this.tangents.length) this.isConcave = false;
    this.tangents = kept;
  }
}

function touches(tangent: MarginTangent, { x, margin }: Look): boolean {
  const { value, size } = predicted(tangent, x);
  return Math.abs(value - margin) <= SAME * size;
}
