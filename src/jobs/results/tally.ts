/**
 * The counts of a run, in memory that does not grow with the rows. Costs and times are counted in buckets of equal ratio, so quantiles are
 * accurate to 1 % for any number of values. The first thousands of costs are kept as they are: quantiles of a small run are exact. Tallies are plain data (they cross threads) and can be added up in any order.
 */
import type { ResultDocument } from '../../documents/result-document.js';
import { addReasons, countFaults, countReasons, type ReasonCounts } from '../../report/reason-counts.js';
import { ResultRow } from '../../store/codec/result-row.js';
import type { Prediction } from '../threads/predict.js';

const BUCKET_RATIO = Math.log(1.02);
/** Bucket of values without a logarithm. */
const ZERO_BUCKET = Number.NEGATIVE_INFINITY;

export interface Histogram {
  readonly buckets: Map<number, number>;
  count: number;
  sum: number;
  /** The values themselves. Undefined: they are too many, or were never kept. */
  few?: number[];
}

const MOST_FEW = 4_096;

export interface Tally {
  rows: number;
  /** Rows by status; for `predict`, by prediction. */
  readonly statuses: Map<string, number>;
  /** Rows that could not be read. */
  invalid: number;
  /** The reasons of rows without an answer. Known results are not counted here. */
  readonly reasons: ReasonCounts;
  /** Found rows by the proof, the solver and the changed features of the cheapest answer. */
  readonly proofs: Map<string, number>;
  readonly solvers: Map<string, number>;
  readonly changes: Map<string, number>;
  degraded: number;
  /** Rows that the clock ended: a repetition may give another answer. */
  limitedByTime: number;
  readonly costs: Histogram;
  readonly elapsedMs: Histogram;
}

export function createTally(): Tally {
  return {
    rows: 0,
    statuses: new Map(),
    invalid: 0,
    reasons: new Map(),
    proofs: new Map(),
    solvers: new Map(),
    changes: new Map(),
    degraded: 0,
    limitedByTime: 0,
    costs: { ...createHistogram(), few: [] },
    elapsedMs: createHistogram(),
  };
}

function createHistogram(): Histogram {
  return { buckets: new Map(), count: 0, sum: 0 };
}

export function countResult(tally: Tally, result: ResultDocument): void {
  tally.rows++;
  increment(tally.statuses, result.status);
  record(tally.elapsedMs, result.elapsedMs);
  if (result.degraded) tally.degraded++;
  if (result.limitedBy === 'time') tally.limitedByTime++;
  if (result.status === 'invalid') tally.invalid++;
  if (result.reason) countReasons(tally.reasons, result.status, result.reason);
  if (result.status !== 'found') return;
  const [best] = result.counterfactuals;
  increment(tally.proofs, best.proof.kind);
  increment(tally.solvers, best.solver);
  for (const { feature } of best.changes) increment(tally.changes, feature);
  record(tally.costs, best.cost);
}

/** A row with a known result: no solver worked on it, and it took no time. */
export function countKnown(tally: Tally, known: ResultDocument | ResultRow): void {
  const [status, [best]] =
    known instanceof ResultRow ? [known.shape.status, known.answers] : [known.status, known.counterfactuals];
  tally.rows++;
  increment(tally.statuses, status);
  if (best) record(tally.costs, best.cost);
}

/** A found row of another process. */
export function countFound(tally: Tally, { cost, proof }: { readonly cost: number; readonly proof: string }): void {
  increment(tally.proofs, proof);
  record(tally.costs, cost);
}

export function countTime(tally: Tally, elapsedMs: number): void {
  record(tally.elapsedMs, elapsedMs);
}

/** One row of `predict`, under its prediction. */
export function countPrediction(tally: Tally, label: string, reason?: Prediction['reason']): void {
  tally.rows++;
  increment(tally.statuses, label);
  if (!reason) return;
  tally.invalid++;
  countFaults(tally.reasons, reason.faults ?? [reason]);
}

export function addTally(total: Tally, part: Tally): void {
  total.rows += part.rows;
  total.invalid += part.invalid;
  addReasons(total.reasons, part.reasons);
  total.degraded += part.degraded;
  total.limitedByTime += part.limitedByTime;
  for (const key of ['statuses', 'proofs', 'solvers', 'changes'] as const) addCounts(total[key], part[key]);
  for (const key of ['costs', 'elapsedMs'] as const) {
    addCounts(total[key].buckets, part[key].buckets);
    total[key].count += part[key].count;
    total[key].sum += part[key].sum;
    keepFew(total[key], part[key].few);
  }
}

/** The value that a share `q` of all values does not exceed: exact for few values, else within 1 %; undefined without values. */
export function quantile({ buckets, count, few }: Histogram, q: number): number | undefined {
  let left = Math.max(1, Math.ceil(q * count));
  if (few) return [...few].sort((a, b) => a - b)[left - 1];
  for (const bucket of [...buckets.keys()].sort((a, b) => a - b)) {
    left -= buckets.get(bucket)!;
    if (left <= 0) return bucket === ZERO_BUCKET ? 0 : Math.exp(bucket * BUCKET_RATIO);
  }
  return undefined;
}

function record(histogram: Histogram, value: number): void {
  increment(histogram.buckets, value > 0 ? Math.round(Math.log(value) / BUCKET_RATIO) : ZERO_BUCKET);
  histogram.count++;
  histogram.sum += value;
  if (histogram.few) keepFew(histogram, [value]);
}

function keepFew(histogram: Histogram, values: readonly number[] | undefined): void {
  if (values && histogram.few && histogram.few.length + values.length <= MOST_FEW) histogram.few.push(...values);
  else histogram.few = undefined;
}

function increment<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function addCounts<K>(total: Map<K, number>, part: ReadonlyMap<K, number>): void {
  for (const [key, count] of part) increment(total, key, count);
}
