/**
 * The k cheapest answers that change pairwise different sets of features.
 *
 * Branching over sets (Lawler): an answer that changes exactly the set S leaves, of a part of the space, every answer
 * that differs from S in some feature f: f in S stands still, or f outside S changes. "Changes" is a closed condition
 * for steps, decimals and categories (at least one step up, or one down, or another category); a continuous feature can
 * change by as little as one likes, so S with such a change added costs the same as S and counts as S. Parts are taken
 * cheapest first; the k first new sets are the answer.
 */
import type { Feature } from '../models/features.js';
import { copyDomain, createDomain, type Domain, isFixed, mayStand, pin } from '../policy/domain.js';
import { NodeHeap } from '../solvers/shared/node-heap.js';
import type { Answer } from './result.js';
import { asAnswer, type Found, type Search, type Searcher } from './search.js';
import { same } from './verify.js';

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
): { answers: Answer[]; cut: boolean } {
  const features = plan.model.space.features;
  const answers: Answer[] = [];
  const sets = new Set<string>();
  const seen = new Set<string>();
  const open = new NodeHeap<Part>();
  let cut = false;
  const quiet: Search = { ...search, attempts: [] };
  const root = createDomain(plan.model.space);
  copyDomain(plan.person.domain, root);
  open.push({ domain: root, found: first }, first.answer!.cost);
  for (let looks = 0; open.size && answers.length < count && looks < LOOKS_PER_ANSWER * count; looks++) {
    const part = open.pop()!;
    const changed = changedSet(plan, part.found.answer!.values, features);
    const key = [...changed].join();
    if (!sets.has(key)) answers.push(asAnswer(part.found));
    sets.add(key);
    if (answers.length === count) break;
    for (const domain of differing(plan, part.domain, changed, features)) {
      if (search.budget.isSpent) return { answers, cut: true };
      const mark = domainKey(domain);
      if (seen.has(mark)) continue;
      seen.add(mark);
      const found = plan.search(domain, quiet);
      if (!found.finished) cut = true;
      if (found.answer) open.push({ domain, found }, found.answer.cost);
    }
  }
  return { answers, cut };
}

function changedSet(plan: Searcher, values: Float64Array, features: readonly Feature[]): Set<number> {
  const { factual } = plan.person;
  return new Set(features.filter((f) => !same(values[f.index], factual[f.index])).map((f) => f.index));
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
  const above = nextPoint(domain, feature, 1);
  if (above <= domain.upper[c]) {
    const up = copy();
    up.lower[c] = above;
    yield up;
  }
  const below = nextPoint(domain, feature, -1);
  if (below >= domain.lower[c]) {
    const down = copy();
    down.upper[c] = below;
    yield down;
  }
}

/** The first allowed lattice point on one side of the present value; infinite when there is none. */
function nextPoint(domain: Domain, { index, column }: Feature, side: 1 | -1): number {
  const step = domain.step[index] || domain.grid[index];
  if (step === 0) return side * Infinity;
  const ranks = domain.ranks[index];
  let point = domain.origin[column] + side * step;
  while (ranks && point >= 0 && point < ranks.length && ranks[point] !== 1) point += side * step;
  return ranks && (point < 0 || point >= ranks.length) ? side * Infinity : point;
}

const domainKey = (domain: Domain): string => `${domain.lower.join()}|${domain.upper.join()}`;
