/**
 * The k cheapest answers that change pairwise different sets of features.
 *
 * Branching over sets (Lawler): an answer that changes exactly the set S leaves, of a part of the space, every answer
 * that differs from S in some feature f: f in S stands still, or f outside S changes. "Changes" is a closed condition
 * for steps, decimals and categories (at least one step up, or one down, or another category); a continuous feature can
 * change by as little as one likes, so S with such a change added costs the same as S and counts as S. Parts are taken
 * cheapest first; the k first new sets are the answer.
 *
 * An answer is the next cheapest as far as no open part can hold a cheaper one: its bound is the least of theirs and its own. A part
 * that ended without an answer and without a proof stays open for ever.
 */
import { nextDown, nextUp } from '../linalg/floats.js';
import type { Feature } from '../models/features.js';
import { copyDomain, createDomain, type Domain, isFixed, mayStand, pin } from '../policy/domain.js';
import { isContinuous, isSame, narrowTo } from '../policy/values.js';
import { NodeHeap } from '../solvers/shared/node-heap.js';
import type { ReportedAnswer } from './result.js';
import { asAnswer, type Found, type Search, type Searcher } from './search.js';

interface Part {
  readonly domain: Domain;
  readonly found: Found;
}

/** At most this many answers may be looked at for each one that is wanted. */
const LOOKS_PER_ANSWER = 50;

export function diversify(
  plan: Searcher,
  first: Found,
  search: Search,
  count: number,
): { answers: ReportedAnswer[]; cut: boolean } {
  const features = plan.model.space.features;
  const answers: ReportedAnswer[] = [];
  const sets = new Set<string>();
  const seen = new Set<string>();
  const open = new NodeHeap<Part>();
  const bounds = new Map<Part, number>();
  let unresolved = Infinity;
  let cut = false;
  const enter = (part: Part) => {
    open.push(part, part.found.answer!.cost);
    bounds.set(part, part.found.lowerBound);
  };
  const quiet: Search = { ...search, attempts: [] };
  const root = createDomain(plan.model.space);
  copyDomain(plan.person.domain, root);
  enter({ domain: root, found: first });
  for (let looks = 0; open.size; looks++) {
    if (looks >= LOOKS_PER_ANSWER * count) return { answers, cut: true };
    const part = open.pop()!;
    const lowerBound = Math.min(unresolved, ...bounds.values());
    bounds.delete(part);
    const changed = changedSet(plan, part.found.answer!.values, features);
    const key = [...changed].join();
    if (!sets.has(key)) answers.push(asAnswer({ ...part.found, lowerBound }));
    sets.add(key);
    if (answers.length === count) break;
    for (const domain of differing(plan, part.domain, changed, features)) {
      if (search.budget.isSpent) return { answers, cut: true };
      const mark = domainKey(domain);
      if (seen.has(mark)) continue;
      seen.add(mark);
      const found = plan.search(domain, quiet);
      if (!found.finished) cut = true;
      if (found.answer) enter({ domain, found });
      else if (!found.finished) unresolved = Math.min(unresolved, found.lowerBound);
    }
  }
  return { answers, cut };
}

function changedSet(plan: Searcher, values: Float64Array, features: readonly Feature[]): Set<number> {
  const { factual } = plan.person;
  return new Set(features.filter((f) => !isSame(values[f.index], factual[f.index])).map((f) => f.index));
}

/** The parts of a domain whose answers do not change exactly the given set. */
function* differing(
  plan: Searcher,
  domain: Domain,
  changed: Set<number>,
  features: readonly Feature[],
): Generator<Domain> {
  const copy = () => {
    const fresh = createDomain(plan.model.space);
    copyDomain(domain, fresh);
    return fresh;
  };
  for (const feature of features) {
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
