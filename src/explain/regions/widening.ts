/** Widens a box around an answer, feature by feature, as long as the whole box is proved. */
import { nextUp } from '../../linalg/floats.js';
import { type Feature, gather, spread } from '../../models/features.js';
import { allOf, type BoxVerdict, isRefuted } from '../../policy/box-verdict.js';
import type { Constraint, LinearAtom } from '../../policy/constraint.js';
import { holdsOver } from '../../policy/constraint-box.js';
import { copyDomain, createDomain, type Domain, pin } from '../../policy/domain.js';
import { fixAt, isListed, listedValues } from '../../policy/listed-values.js';
import { isContinuous, lastWithin, type Side } from '../../policy/values.js';
import type { Box } from '../../proofs/box.js';
import type { BoxEffort } from '../../proofs/box-effort.js';
import type { Person } from '../search.js';
import { coverBox, type ProvedPiece } from './box-cover.js';
import { type EndAttempt, furthestAlong, furthestBetween, furthestOf, type Reach, roundInward } from './furthest.js';
import { openOnly } from './shown-box.js';

export interface WideningTask {
  readonly person: Person;
  /** The answer, by feature. */
  readonly values: Float64Array;
  /** The features that vary, in the order of widening. */
  readonly changed: readonly Feature[];
  readonly constraints: readonly Constraint[];
  /** The box has to lie in the union of these pieces. */
  readonly pieces: readonly ProvedPiece[];
  readonly effort: BoxEffort;
  /** The final decision about a point, by feature. */
  isAnswer(values: Float64Array): boolean;
}

export class Widening {
  readonly box: Box;
  /** The answer with imputed values for missing ones, as constraints read it. */
  private readonly effective: Float64Array;
  /** The work of the model's decision about a point, in units of effort: about a look at a piece. */
  private readonly wordWork: number;

  constructor(private readonly task: WideningTask) {
    const { person, values } = task;
    const { space } = person.domain;
    const at = new Float64Array(space.columns);
    spread(space, values, at);
    this.box = { domain: createDomain(space), varies: new Uint8Array(space.features.length), at };
    this.wordWork = Math.max(0, ...task.pieces.map(({ work }) => work));
    this.effective = values.map((value, f) => (Number.isNaN(value) ? person.baseline[f] : value));
    this.shrink();
  }

  /** Shrinks the box to the answer itself. */
  shrink(): void {
    const { domain } = this.box;
    const { person, changed, values } = this.task;
    copyDomain(person.domain, domain);
    for (const feature of domain.space.features) pin(domain, feature);
    for (const feature of changed) {
      domain.ranks[feature.index] = person.domain.ranks[feature.index];
      fixAt(domain, feature, values[feature.index]);
    }
  }

  /** True: it is proved that nothing more can be added. */
  widen(): boolean {
    return allOf(this.task.changed.map((feature) => this.widenFeature(feature))) === 'proved';
  }

  /** Whether the present box is proved. */
  isProved(): boolean {
    return this.judge() === 'proved';
  }

  /** `proved`: the feature cannot be widened further. */
  private widenFeature(feature: Feature): BoxVerdict {
    if (feature.kind === 'choice') return this.widenChoice(feature);
    const away: Side = this.task.values[feature.index] > this.task.person.domain.origin[feature.column] ? 1 : -1;
    const sides = [away, -away as Side].map((side) => asWideAsItGets(this.widenSide(feature, side)));
    return allOf(feature.kind === 'ordinal' ? [...sides, this.judgeRanksOutside(feature)] : sides);
  }

  /** A box contains only neighbouring ranks. If a rank further out holds as well, the box is valid but not maximal. */
  private judgeRanksOutside(feature: Feature): BoxVerdict {
    const { domain } = this.box;
    const [lower, upper] = [domain.lower[feature.column], domain.upper[feature.column]];
    const outside = listedValues(this.task.person.domain, feature).filter((rank) => rank < lower || rank > upper);
    const areRefused = outside.every((rank) => isRefuted(this.judgeAt(feature, rank)));
    this.moveTo(feature, this.task.values[feature.index]);
    [domain.lower[feature.column], domain.upper[feature.column]] = [lower, upper];
    return areRefused ? 'proved' : 'unknown';
  }

  /** The box with one feature at another rank than the answer's. */
  private judgeAt(fixed: Feature, rank: number): BoxVerdict {
    this.moveTo(fixed, rank);
    return this.judge((feature) => feature === fixed);
  }

  /** Every point that the proofs then use has this rank. */
  private moveTo(feature: Feature, rank: number): void {
    fixAt(this.box.domain, feature, rank);
    this.box.at[feature.column] = this.effective[feature.index] = rank;
  }

  /** The verdict on the first value beyond the end. */
  private widenSide(feature: Feature, side: Side): BoxVerdict {
    const { column, index } = feature;
    const ends = side > 0 ? this.box.domain.upper : this.box.domain.lower;
    const attempt = (value: number): BoxVerdict => {
      const before = ends[column];
      ends[column] = value;
      const verdict = this.judge();
      if (verdict !== 'proved') ends[column] = before;
      return verdict;
    };
    const start = this.task.values[index];
    const room = this.task.person.domain;
    const { verdict } = this.furthest(feature, start, side, attempt);
    const isFree = isContinuous(room, feature) && verdict !== 'proved';
    if (isFree && ends[column] !== start) ends[column] = roundInward(start, ends[column], side);
    return verdict;
  }

  /** Steps of the region end where trees cut. Between two cuts only a constraint can end a box. */
  private furthest(feature: Feature, start: number, side: Side, attempt: EndAttempt): Reach {
    const room = this.task.person.domain;
    const candidates = this.candidates(feature, start, side);
    if (!candidates) return furthestAlong(room, feature, start, side, attempt);
    const reach = furthestOf(candidates, start, attempt);
    if (reach.verdict === 'proved' || isListed(feature) || !this.isConstrained(feature)) return reach;
    if (Number.isFinite(reach.refused)) return furthestBetween(room, feature, start, reach, side, attempt);
    return furthestAlong(room, feature, start, side, attempt);
  }

  private isConstrained({ index }: Feature): boolean {
    const reads = ({ terms, indicators }: LinearAtom) => [...terms, ...indicators].some((t) => t.feature === index);
    return this.task.constraints.some(({ clauses }) => clauses.some(({ atoms }) => atoms.some(reads)));
  }

  /** The ends to try, near to far. Null: any value of the domain. */
  private candidates(feature: Feature, start: number, side: Side): number[] | null {
    const room = this.task.person.domain;
    const listed = isListed(feature) ? listedValues(room, feature) : this.stepEnds(feature, side);
    if (!listed) return null;
    const values = listed.map((end) => lastWithin(room, feature, end, side));
    const beyond = [...new Set(values)].filter((value) => (value - start) * side > 0);
    return beyond.sort((a, b) => (a - b) * side);
  }

  /** Where the region consists of steps, only the ends of steps count. */
  private stepEnds(feature: Feature, side: Side): number[] | null {
    const ends = this.task.pieces.map(({ proof }) => proof.ends(feature));
    if (!ends.length || ends.includes(null)) return null;
    const list = ends.flatMap((lowerEnds) => lowerEnds!.map((end) => (side > 0 ? end : nextUp(end))));
    return [...list, side * Infinity];
  }

  private widenChoice(feature: Feature): BoxVerdict {
    const { person, values } = this.task;
    const taken = new Set([values[feature.index]]);
    const verdicts = listedValues(person.domain, feature).map((category) => {
      if (taken.has(category)) return 'proved';
      openOnly(this.box.domain, feature, new Set([...taken, category]));
      const verdict = this.judge();
      if (verdict === 'proved') taken.add(category);
      openOnly(this.box.domain, feature, taken);
      return asWideAsItGets(verdict);
    });
    return allOf(verdicts);
  }

  /** `isMoved`: a feature with one value that is not the answer's. */
  private judge(isMoved: (feature: Feature) => boolean = () => false): BoxVerdict {
    const { domain, varies } = this.box;
    const { constraints, changed, effort, pieces } = this.task;
    if (!effort.spend(this.wordWork)) return 'unknown';
    for (const feature of changed) varies[feature.index] = +(isMoved(feature) || isOpen(domain, feature));
    const policy = allOf(constraints.map((constraint) => holdsOver(constraint, domain, varies, this.effective)));
    if (policy !== 'proved') return this.confirmed(policy);
    return coverBox(this.box, { pieces, effort, isAnswer: (columns) => this.isAnswer(columns) });
  }

  private confirmed(verdict: BoxVerdict): BoxVerdict {
    return isRefuted(verdict) && this.isAnswer(verdict.point) ? 'unknown' : verdict;
  }

  /** Whether the answer with the varying features of a point is an answer. */
  private isAnswer(columns: Float64Array): boolean {
    const { values, isAnswer, person, effort } = this.task;
    effort.take(this.wordWork);
    const found = new Float64Array(values.length);
    gather(person.domain.space, columns, found);
    return isAnswer(values.map((value, f) => (this.box.varies[f] ? found[f] : value)));
  }
}

const asWideAsItGets = (refusal: BoxVerdict): BoxVerdict => (refusal === 'unknown' ? 'unknown' : 'proved');

function isOpen({ lower, upper }: Domain, { column, width }: Feature): boolean {
  for (let c = column; c < column + width; c++) if (lower[c] !== upper[c]) return true;
  return false;
}
