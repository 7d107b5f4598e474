/**
 * The k cheapest answers that change pairwise different sets of features.
 *
 * Branching over sets (Lawler): an answer that changes exactly the set S leaves, of a part of the space, every answer
 * that differs from S in some feature f: f in S stands still, or f outside S changes. "Changes" is a closed condition
 * for steps, decimals and categories (at least one step up, or one down, or another category). A continuous feature can
 * change by an arbitrarily small amount: S with such a change added costs the same as S and counts as S. Parts are taken
 * cheapest first. The first k new sets are the result.
 *
 * The parts that were open when the k-th answer was found bound the k-th answer: no other part holds another set. A part
 * that ended without an answer and without a proof stays open for ever.
 */
import { nextDown, nextUp } from '../linalg/floats.js';
import type { Feature } from '../models/features.js';
import { copyDomain, createDomain, type Domain, isFixed, mayStand, pin } from '../policy/domain.js';
import { isContinuous, isSame, narrowTo } from '../policy/values.js';
import { NodeHeap } from '../solvers/shared/node-heap.js';
import type { ReportedAnswer } from './result.js';
import { asAnswer, type Search, type Searcher, type SearchOutcome } from './search.js';

interface SearchedPart {
  readonly domain: Domain;
  readonly found: SearchOutcome;
}

/** At most this many answers may be looked at for each one that is wanted. */
const LOOKS_PER_ANSWER = 50;

/** `cut`: a part was not searched to its end. */
export function diversify(
  plan: Searcher,
  first: SearchOutcome,
  search: Search,
  count: number,
): { answers: ReportedAnswer[]; cut: boolean } {
  const parts = new Parts(plan, search, first);
  for (let looks = 0; parts.answers < count && parts.isOpen; looks++) {
    if (looks >= LOOKS_PER_ANSWER * count) return { answers: parts.inOrder(), cut: true };
    parts.takeCheapest();
    if (parts.answers < count && !parts.divide()) return { answers: parts.inOrder(), cut: true };
  }
  return { answers: parts.inOrder(), cut: parts.cut };
}

class Parts {
  cut = false;
  private readonly open = new NodeHeap<SearchedPart>();
  private readonly bounds = new Map<SearchedPart, number>();
  private readonly seen = new Set<string>();
  /** By set of changed features: the cheapest answer that was met. */
  private readonly found = new Map<string, SearchOutcome>();
  /** By answer, as they were met: a bound on every set that was not met before. */
  private readonly rest: number[] = [];
  private unresolved = Infinity;
  private last!: SearchedPart;
  private readonly quiet: Search;

  constructor(
    private readonly plan: Searcher,
    search: Search,
    first: SearchOutcome,
  ) {
    this.quiet = { ...search, attempts: [] };
    const root = createDomain(plan.model.space);
    copyDomain(plan.person.domain, root);
    this.enter({ domain: root, found: first });
  }

  get answers(): number {
    return this.found.size;
  }

  get isOpen(): boolean {
    return this.open.size > 0;
  }

  private enter(part: SearchedPart): void {
    this.open.push(part, part.found.answer!.cost);
    this.bounds.set(part, part.found.lowerBound);
  }

  /** Takes the answer of the cheapest part; of two that change the same set the cheaper one. */
  takeCheapest(): void {
    const bound = Math.min(this.unresolved, ...this.bounds.values());
    this.last = this.open.pop()!;
    this.bounds.delete(this.last);
    const key = [...changedSet(this.plan, this.last.found)].join();
    const known = this.found.get(key);
    if (!known) this.rest.push(bound);
    if (!known || this.last.found.answer!.cost < known.answer!.cost) this.found.set(key, this.last.found);
  }

  /** Enters what the last part holds beside the set of its answer. False: the budget ended first. */
  divide(): boolean {
    for (const domain of differing(this.plan, this.last.domain, changedSet(this.plan, this.last.found))) {
      if (this.quiet.budget.isSpent) return false;
      const mark = domainKey(domain);
      if (!this.seen.has(mark)) this.look(domain);
      this.seen.add(mark);
    }
    return true;
  }

  private look(domain: Domain): void {
    const found = this.plan.search(domain, this.quiet);
    if (!found.finished) this.cut = true;
    if (found.answer) this.enter({ domain, found });
    else if (!found.finished) this.unresolved = Math.min(this.unresolved, found.lowerBound);
  }

  /** Cheapest first. Of any k sets one was not met before the k-th answer: the k-th cheapest is bounded by what was left then. */
  inOrder(): ReportedAnswer[] {
    let bound = Number.NEGATIVE_INFINITY;
    return [...this.found.values()]
      .sort((a, b) => a.answer!.cost - b.answer!.cost)
      .map((found, k) => {
        bound = Math.max(bound, this.rest[k]);
        return asAnswer({ ...found, lowerBound: bound });
      });
  }
}

function changedSet({ person, model }: Searcher, { answer }: SearchOutcome): Set<number> {
  const isChanged = ({ index }: Feature) => !isSame(answer!.values[index], person.factual[index]);
  return new Set(model.space.features.filter(isChanged).map(({ index }) => index));
}

/** The parts of a domain whose answers do not change exactly the given set. */
function* differing(plan: Searcher, domain: Domain, changed: Set<number>): Generator<Domain> {
  const copy = () => {
    const fresh = createDomain(plan.model.space);
    copyDomain(domain, fresh);
    return fresh;
  };
  for (const feature of plan.model.space.features) {
    if (isFixed(domain, feature)) continue;
    if (changed.has(feature.index)) {
      if (!mayStand(domain, feature)) continue;
      const still = copy();
      pin(still, feature);
      yield still;
    } else yield* mustChange(copy, domain, feature);
  }
}

function* mustChange(copy: () => Domain, domain: Domain, feature: Feature): Generator<Domain> {
  const c = feature.column;
  if (feature.kind === 'choice') {
    const other = copy();
    for (let k = c; k < c + feature.width; k++) if (domain.origin[k] > 0) other.upper[k] = 0;
    yield other;
    return;
  }
  if (isContinuous(domain, feature)) return;
  const here = domain.origin[c];
  const [up, down] = [copy(), copy()];
  if (narrowTo(up, feature, nextUp(here), Infinity)) yield up;
  if (narrowTo(down, feature, Number.NEGATIVE_INFINITY, nextDown(here))) yield down;
}

const domainKey = (domain: Domain): string => `${domain.lower.join()}|${domain.upper.join()}`;
