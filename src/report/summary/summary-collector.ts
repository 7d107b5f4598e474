/**
 * The figures of many results, in one pass: results in, a summary document out. The memory does not grow with the results: counts by key
 * are limited, quantiles come from counted values (value-counts.ts), and points of the map are a seeded sample.
 */
import type { ResultDocument } from '../../documents/result-document.js';
import type { SummaryDocument } from '../../documents/summary-document.js';
import { ChangeCounts } from './change-counts.js';
import { distributionOf, histogramOf } from './figures.js';
import { summariseGroupings } from './group-figures.js';
import { GroupTally } from './group-tally.js';
import { GroupingCounts } from './grouping.js';
import { KeyCounts } from './key-counts.js';
import type { PersonAnswer, PersonResult } from './person-result.js';
import { ReasonSummary } from './reason-summary.js';
import { SeededSample } from './seeded-sample.js';
import { ValueCounts } from './value-counts.js';

export interface SummaryOptions {
  /** The features by whose values people are grouped. */
  readonly by?: readonly string[];
  /** Smaller groups have no figures. */
  readonly smallestGroup?: number;
  /** The seed of the sample of points. */
  readonly seed?: number;
}

export const SMALLEST_GROUP = 10;
export const SAMPLE_SEED = 1;

const MOST_POINTS = 1500;
const MOST_BLOCKED_POINTS = 500;
const MOST_SOURCES = 20;
const MOST_FEATURES = 2000;

type Status = ResultDocument['status'];

export class SummaryCollector {
  readonly #statuses: Record<Status, number> = { found: 0, already: 0, infeasible: 0, 'not-found': 0, invalid: 0 };
  readonly #sources = {
    models: new SourceCounts<SummaryDocument['models'][number]>(),
    policies: new SourceCounts<SummaryDocument['policies'][number]>(),
    targets: new SourceCounts<SummaryDocument['targets'][number]>(),
  };
  readonly #costs = new ValueCounts();
  readonly #changesPerAnswer = new KeyCounts<number>();
  readonly #changes = new Map<string, ChangeCounts>();
  readonly #proofs = { optimal: 0, gap: 0, heuristic: 0 };
  readonly #gaps = new ValueCounts();
  readonly #limits = { effort: 0, time: 0, degraded: 0 };
  readonly #solvers = new KeyCounts<string>();
  readonly #reasons = new ReasonSummary();
  readonly #map: MapPoints;
  readonly #groupings: readonly GroupingCounts<PersonResult, GroupTally>[];
  readonly #smallestGroup: number;
  #results = 0;
  #brief = 0;

  constructor({ by = [], smallestGroup = SMALLEST_GROUP, seed = SAMPLE_SEED }: SummaryOptions = {}) {
    this.#groupings = by.map((feature) => new GroupingCounts(feature, () => new GroupTally()));
    this.#smallestGroup = smallestGroup;
    this.#map = new MapPoints(seed);
  }

  add(person: PersonResult): void {
    this.#results++;
    this.#statuses[person.status]++;
    if (person.isBrief) this.#brief++;
    this.#countSources(person);
    if (person.degraded) this.#limits.degraded++;
    if (person.limitedBy) this.#limits[person.limitedBy]++;
    if (person.answer) this.#countAnswer(person.answer);
    this.#reasons.add(person);
    this.#map.add(person, this.#results);
    for (const grouping of this.#groupings) grouping.add(person);
  }

  #countSources({ model, policy, target, targets: several }: PersonResult): void {
    const { models, policies, targets } = this.#sources;
    const { name, version = null, digest } = model;
    models.add(`${digest} ${version} ${name}`, () => ({ name, version, digest }));
    policies.add(`${policy.digest} ${policy.name}`, () => ({ name: policy.name, digest: policy.digest }));
    for (const wanted of several ?? [target])
      if (wanted !== undefined)
        targets.add(typeof wanted === 'string' ? wanted : JSON.stringify(wanted), () => ({ target: wanted }));
  }

  #countAnswer({ cost, changes, proof, gap, solver }: PersonAnswer): void {
    this.#costs.add(cost);
    this.#changesPerAnswer.add(changes.length);
    this.#proofs[proof]++;
    if (proof === 'gap' && gap !== null) this.#gaps.add(Math.max(0, gap));
    if (solver !== undefined) this.#solvers.add(solver);
    for (const change of changes) this.#changesOf(change.feature)?.add(change);
  }

  #changesOf(feature: string): ChangeCounts | undefined {
    const known = this.#changes.get(feature);
    if (known || this.#changes.size >= MOST_FEATURES) return known;
    const counts = new ChangeCounts();
    this.#changes.set(feature, counts);
    return counts;
  }

  summarise(): SummaryDocument {
    const { models, policies, targets } = this.#sources;
    const changes = [...this.#changes].sort((a, b) => b[1].answers - a[1].answers || (a[0] < b[0] ? -1 : 1));
    return {
      schema: 'elsewise.summary/v1',
      results: this.#results,
      brief: this.#brief,
      statuses: { ...this.#statuses },
      models: models.ranked(),
      policies: policies.ranked(),
      targets: targets.ranked(),
      cost: distributionOf(this.#costs) ?? null,
      costHistogram: histogramOf(this.#costs),
      changesPerAnswer: Object.fromEntries(this.#changesPerAnswer.ranked().sort((a, b) => a[0] - b[0])),
      changes: changes.map(([feature, counts]) => counts.summarise(feature, this.#statuses.found)),
      proofs: { ...this.#proofs, gaps: distributionOf(this.#gaps) ?? null },
      limits: { ...this.#limits },
      solvers: this.#solvers.ranked().map(([solver, answers]) => ({ solver, answers })),
      reasons: this.#reasons.summarise(),
      map: this.#map.summarise(),
      smallestGroup: this.#smallestGroup,
      groups: summariseGroupings(this.#groupings, this.#smallestGroup),
    };
  }
}

/** Models, policies or targets by key. */
class SourceCounts<T extends { results: number }> {
  readonly #counts = new KeyCounts<string>(MOST_SOURCES);
  readonly #documents = new Map<string, Omit<T, 'results'>>();

  add(key: string, describe: () => Omit<T, 'results'>): void {
    this.#counts.add(key);
    if (!this.#documents.has(key) && this.#documents.size < MOST_SOURCES) this.#documents.set(key, describe());
  }

  ranked(): T[] {
    return this.#counts.ranked().map(([key, results]) => ({ ...this.#documents.get(key), results }) as T);
  }
}

class MapPoints {
  readonly #found: SeededSample<[number, number]>;
  readonly #infeasible: SeededSample<number>;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #least = Number.POSITIVE_INFINITY;

  constructor(seed: number) {
    this.#found = new SeededSample(MOST_POINTS, seed);
    this.#infeasible = new SeededSample(MOST_BLOCKED_POINTS, seed);
  }

  add({ status, factual, answer }: PersonResult, number: number): void {
    if (answer) this.#least = Math.min(this.#least, answer.score);
    if (!factual) return;
    const { score } = factual;
    this.#min = Math.min(this.#min, score, answer?.score ?? score);
    this.#max = Math.max(this.#max, score, answer?.score ?? score);
    if (answer) this.#found.offer(number, () => [score, answer.cost]);
    else if (status === 'infeasible') this.#infeasible.offer(number, () => score);
  }

  summarise(): SummaryDocument['map'] {
    return {
      scores: this.#min <= this.#max ? { min: this.#min, max: this.#max } : null,
      leastAnswerScore: Number.isFinite(this.#least) ? this.#least : null,
      found: this.#found.take(),
      infeasible: this.#infeasible.take(),
    };
  }
}
