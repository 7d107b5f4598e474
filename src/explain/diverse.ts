/**
 * The k cheapest answers that differ: pairwise different sets of changed features first, and answers far apart if the number of sets
 * is too small.
 *
 *   a, b change the same set S and are far apart   in some f of S the categories differ, or the changes go opposite ways,
 *                                                  or one change is at least twice the other:
 *                                                  |b_f - x_f| <= |a_f - x_f| / 2 or >= 2 |a_f - x_f|
 *
 * Branching over parts of the space (Lawler): after an answer a, a part contains every answer that differs from a in some feature f. For
 * sets: f in S does not change, or f outside S changes. For distance: f in S keeps at most half of its change, at least doubles it, or
 * takes another category, or f outside S changes. "Changes" is a closed condition for steps, decimals and categories (at least one step
 * up, or one down, or another category). A continuous feature can change by an arbitrarily small amount: S with additional continuous
 * changes counts as S, whatever it costs, and no bound covers it. Parts are taken cheapest first.
 *
 * The parts that were open when the k-th answer was found bound the k-th answer: no other part contains an answer that differs from
 * those before. A part that ended without an answer and without a proof stays open for ever. The search of a part gets a share of the
 * remaining effort: a search that never ends by itself leaves effort to the others.
 */
import { decimalSum } from '../linalg/decimals.js';
import { nextDown, nextUp } from '../linalg/floats.js';
import type { Feature } from '../models/features.js';
import { cloneDomain, type Domain, isFixed, mayStand, pin } from '../policy/domain.js';
import { isContinuous, isSame, narrowTo } from '../policy/values.js';
import { NodeHeap } from '../solvers/shared/node-heap.js';
import type { ReportedAnswer } from './result.js';
import { asAnswer, type Search, type Searcher, type SearchOutcome } from './search.js';

interface SearchedPart {
  readonly domain: Domain;
  readonly found: SearchOutcome;
}

interface Differing {
  readonly found: SearchOutcome;
  /** A proved lower bound for every answer that differs from those before. */
  bound: number;
}

/** The rule by which two answers differ. */
interface Distinction {
  /** Whether b differs from a. a was taken before. */
  differs(a: SearchOutcome, b: SearchOutcome): boolean;
  /** The parts of a domain whose answers differ from a. */
  parts(domain: Domain, a: SearchOutcome): Generator<Domain>;
}

/** The largest number of answers to look at for each wanted answer. */
const LOOKS_PER_ANSWER = 50;
/** The share of the remaining effort for the search of one part. */
const LOOK_SHARE = 1 / 8;

/** `cut`: the search of a part did not end by itself. */
export function diversify(
  plan: Searcher,
  first: SearchOutcome,
  search: Search,
  count: number,
): { answers: ReportedAnswer[]; cut: boolean } {
  const sets = new Parts(plan, search, first, bySet(plan), []);
  sets.take(count);
  const taken = sets.inOrder();
  if (taken.length === count || search.budget.isSpent) return { answers: told(taken), cut: sets.cut };
  const apart = new Parts(plan, search, first, byDistance(plan), taken);
  apart.take(count);
  return { answers: told(merge(taken, apart.inOrder())), cut: sets.cut || apart.cut };
}

/**
 * Cheapest first. The bound of a distant answer does not cover points near the taken answers. Where a taken answer comes later, its own
 * bound counts as well.
 */
function merge(taken: readonly Differing[], apart: readonly Differing[]): Differing[] {
  const bounded = apart.map(({ found, bound }) => {
    const later = taken.filter((other) => costOf(other.found) > costOf(found));
    return { found, bound: Math.min(bound, ...later.map((other) => other.bound)) };
  });
  return [...taken, ...bounded].sort((a, b) => costOf(a.found) - costOf(b.found));
}

const costOf = ({ answer }: SearchOutcome): number => answer!.cost;

/** Doubtful answers are reported only if there are no others. */
function told(answers: readonly Differing[]): ReportedAnswer[] {
  const clear = answers.filter(({ found }) => !found.isDoubtful);
  return (clear.length ? clear : answers).map(reported);
}

const reported = ({ found, bound }: Differing): ReportedAnswer => asAnswer({ ...found, lowerBound: bound });

class Parts {
  cut = false;
  /** The answers taken here, in the order of their discovery. */
  readonly own: Differing[] = [];
  private readonly open = new NodeHeap<SearchedPart>();
  private readonly bounds = new Map<SearchedPart, number>();
  private readonly seen = new Set<string>();
  private unresolved = Infinity;
  private readonly quiet: Search;

  /** `before`: the answers from which all others have to differ. */
  constructor(
    private readonly plan: Searcher,
    search: Search,
    first: SearchOutcome,
    private readonly distinction: Distinction,
    private readonly before: readonly Differing[],
  ) {
    this.quiet = { ...search, attempts: [] };
    this.enter({ domain: cloneDomain(plan.person.domain), found: first });
  }

  /** Takes answers until their number, with those before, reaches `count`, or no more can be found. */
  take(count: number): void {
    for (let looks = 0; this.before.length + this.own.length < count && this.open.size > 0; looks++) {
      if (looks >= LOOKS_PER_ANSWER * count) {
        this.cut = true;
        return;
      }
      const { domain, taken } = this.takeCheapest();
      if (this.before.length + this.own.length < count && !this.divide(domain, taken)) {
        this.cut = true;
        return;
      }
    }
  }

  private enter(part: SearchedPart): void {
    this.open.push(part, costOf(part.found));
    this.bounds.set(part, part.found.lowerBound);
  }

  /**
   * Takes the answer of the cheapest part, unless it repeats a taken one. Of two that repeat each other the cheaper one stays, if it
   * repeats no other.
   */
  private takeCheapest(): { domain: Domain; taken: SearchOutcome } {
    const bound = Math.min(this.unresolved, ...this.bounds.values());
    const part = this.open.pop()!;
    this.bounds.delete(part);
    const isRepeated = ({ found }: Differing) => !this.distinction.differs(found, part.found);
    const repeated = [...this.own, ...this.before].filter(isRepeated);
    const known = this.own.indexOf(repeated[0]);
    if (!repeated.length) this.own.push({ found: part.found, bound });
    else if (known >= 0 && repeated.length === 1 && costOf(part.found) < costOf(repeated[0].found))
      this.own[known] = { ...repeated[0], found: part.found };
    return { domain: part.domain, taken: repeated[0]?.found ?? part.found };
  }

  /** Adds the parts of a domain that differ from an answer. False: the budget ended first. */
  private divide(domain: Domain, answer: SearchOutcome): boolean {
    for (const part of this.distinction.parts(domain, answer)) {
      if (this.quiet.budget.isSpent) return false;
      const mark = domainKey(part);
      if (!this.seen.has(mark)) this.look(part);
      this.seen.add(mark);
    }
    return true;
  }

  private look(domain: Domain): void {
    const budget = this.quiet.budget.shareEffort(LOOK_SHARE);
    const found = this.plan.search(domain, { ...this.quiet, budget });
    if (!found.finished) this.cut = true;
    if (found.answer && !found.isDoubtful) this.enter({ domain, found });
    else if (!found.finished) this.unresolved = Math.min(this.unresolved, found.lowerBound);
  }

  /** Cheapest first. Of any k answers one was not found before the k-th. The parts open at that time therefore bound the k-th cheapest. */
  inOrder(): Differing[] {
    let bound = Number.NEGATIVE_INFINITY;
    const met = this.own.map((one) => one.bound);
    return this.own
      .toSorted((a, b) => costOf(a.found) - costOf(b.found))
      .map(({ found }, k) => {
        bound = Math.max(bound, met[k]);
        return { found, bound };
      });
  }
}

/** Answers differ when they change different sets of features. */
function bySet(plan: Searcher): Distinction {
  return {
    differs: (a, b) => setKey(plan, valuesOf(a)) !== setKey(plan, valuesOf(b)),
    parts: (domain, a) => differing(plan, domain, changedSet(plan, valuesOf(a)), standing),
  };
}

/** Answers differ when they change different sets, or the same set far apart. */
function byDistance(plan: Searcher): Distinction {
  return {
    differs: (a, b) => areDifferent(plan, valuesOf(a), valuesOf(b)),
    parts: (domain, a) =>
      differing(plan, domain, changedSet(plan, valuesOf(a)), (copy, feature) =>
        farFrom(copy, feature, valuesOf(a)[feature.index]),
      ),
  };
}

/** Whether two answers change different sets of features, or the same set far apart. */
export function areDifferent(plan: Searcher, a: Float64Array, b: Float64Array): boolean {
  return setKey(plan, a) !== setKey(plan, b) || areFarApart(plan, a, b);
}

const valuesOf = ({ answer }: SearchOutcome): Float64Array => answer!.values;

const setKey = (plan: Searcher, values: Float64Array): string => [...changedSet(plan, values)].join();

function areFarApart({ model, person: { domain } }: Searcher, a: Float64Array, b: Float64Array): boolean {
  return model.space.features.some((feature) => {
    const [one, other] = [a[feature.index], b[feature.index]];
    if (feature.kind === 'choice') return one !== other;
    const here = domain.origin[feature.column];
    if (isContinuous(domain, feature)) return isFarShare((other - here) / (one - here));
    const { half, twice, side } = distantEnds(domain, feature, one);
    return side !== 0 && ((other - half) * side <= 0 || (other - twice) * side >= 0);
  });
}

const isFarShare = (share: number): boolean => share <= 0.5 || share >= 2;

/**
 * The values at half of a change and at twice a change. Values with gaps between them are decimals: from 0.23 to -0.01 the change is 0.24,
 * and twice leads to -0.25. Elsewhere doubles are compared as they are.
 */
function distantEnds(
  domain: Domain,
  feature: Feature,
  there: number,
): { half: number; twice: number; side: -1 | 0 | 1 } {
  const here = domain.origin[feature.column];
  const sum = isContinuous(domain, feature) ? plus : decimalSum;
  const change = sum(there, -here);
  const side = change > 0 ? 1 : change < 0 ? -1 : 0;
  return { half: sum(here, change / 2), twice: sum(here, 2 * change), side };
}

const plus = (a: number, b: number): number => a + b;

function changedSet({ person, model }: Searcher, values: Float64Array): Set<number> {
  const isChanged = ({ index }: Feature) => !isSame(values[index], person.factual[index]);
  return new Set(model.space.features.filter(isChanged).map(({ index }) => index));
}

type Copy = () => Domain;

/**
 * The parts of a domain whose answers differ from one that changes the given set: the parts that `inSet` gives for a changed feature, or
 * another change.
 */
function* differing(
  plan: Searcher,
  domain: Domain,
  changed: Set<number>,
  inSet: (copy: Copy, feature: Feature) => Generator<Domain>,
): Generator<Domain> {
  const copy = () => cloneDomain(domain);
  for (const feature of plan.model.space.features) {
    if (isFixed(domain, feature)) continue;
    if (changed.has(feature.index)) yield* inSet(copy, feature);
    else yield* mustChange(copy, domain, feature);
  }
}

function* standing(copy: Copy, feature: Feature): Generator<Domain> {
  const still = copy();
  if (!mayStand(still, feature)) return;
  pin(still, feature);
  yield still;
}

function* farFrom(copy: Copy, feature: Feature, there: number): Generator<Domain> {
  if (feature.kind === 'choice') {
    const other = copy();
    other.upper[feature.column + there] = 0;
    if (hasCategory(other, feature)) yield other;
    return;
  }
  const [towards, beyond] = [copy(), copy()];
  const { half, twice, side } = distantEnds(towards, feature, there);
  const below: [number, number] = [Number.NEGATIVE_INFINITY, side > 0 ? half : twice];
  const above: [number, number] = [side > 0 ? twice : half, Infinity];
  if (narrowTo(towards, feature, ...(side > 0 ? below : above))) yield towards;
  if (narrowTo(beyond, feature, ...(side > 0 ? above : below))) yield beyond;
}

function* mustChange(copy: Copy, domain: Domain, feature: Feature): Generator<Domain> {
  const c = feature.column;
  if (feature.kind === 'choice') {
    const other = copy();
    for (let k = c; k < c + feature.width; k++) if (domain.origin[k] > 0) other.upper[k] = 0;
    if (hasCategory(other, feature)) yield other;
    return;
  }
  if (isContinuous(domain, feature)) return;
  const here = domain.origin[c];
  const [up, down] = [copy(), copy()];
  if (narrowTo(up, feature, nextUp(here), Infinity)) yield up;
  if (narrowTo(down, feature, Number.NEGATIVE_INFINITY, nextDown(here))) yield down;
}

function hasCategory({ upper }: Domain, { column, width }: Feature): boolean {
  for (let c = column; c < column + width; c++) if (upper[c] > 0) return true;
  return false;
}

const domainKey = (domain: Domain): string => `${domain.lower.join()}|${domain.upper.join()}`;
