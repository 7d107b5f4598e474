/** The progress of a batch in figures, for `batch status` and the API. */
import type { BatchStatus, WebhookOutcome } from '../../store/batches/batch-store.js';
import type { Store } from '../../store/store.js';
import { quantile } from '../results/tally.js';

export type BatchState = 'adding' | 'working' | 'done' | 'failed' | 'cancelled';

export interface BatchSummary {
  readonly id: string;
  readonly state: BatchState;
  readonly created: string;
  readonly by: string;
  readonly model: { readonly name: string; readonly version: number; readonly digest: string };
  readonly policy: { readonly name: string; readonly digest: string };
  /** Digest of the input, once it is complete. */
  readonly input: string | null;
  readonly rows: number;
  readonly answered: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly chunks: number;
  readonly done: number;
  readonly failed: number;
  /** The rate over all finished chunks. */
  readonly rowsPerSecond: number | null;
  /** The time for the rows known so far, at that rate. Null: unknown, or nothing is left. */
  readonly secondsLeft: number | null;
  /** The costs of the cheapest answers of found rows. All but the mean are accurate to 1 %. */
  readonly cost: CostSummary | null;
  readonly queuedBytes: number;
  readonly resultBytes: number;
  /** The message about the end of the batch. Null: the batch names no address. */
  readonly webhook: WebhookSummary | null;
}

export interface WebhookSummary {
  /** The address without its path, which may hold secrets. */
  readonly host: string;
  readonly outcome: 'waiting' | WebhookOutcome['outcome'];
  readonly at?: string;
  readonly attempts?: number;
  readonly reason?: string;
}

export interface CostSummary {
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  readonly max: number;
}

export async function summariseBatch(store: Store, id: string): Promise<BatchSummary> {
  const status = await store.batches.status(id);
  const { manifest, input, rows, answered, counts, chunks, done, failed, queuedBytes, resultBytes } = status;
  const { model, policy, created, by } = manifest;
  const state = stateOf(status);
  return {
    ...{ id, state, created, by, model },
    policy: { name: policy.document.name, digest: policy.digest },
    input: input ?? null,
    ...{ rows, answered, counts, chunks, done, failed, ...paceOf(status) },
    cost: await summariseCosts(store, id),
    ...{ queuedBytes, resultBytes },
    webhook: summariseWebhook(status),
  };
}

/** The outcome of an earlier end, before a retry, does not count. */
export function summariseWebhook(status: BatchStatus): WebhookSummary | null {
  const { manifest, webhook } = status;
  if (manifest.webhook === undefined) return null;
  const { host } = new URL(manifest.webhook);
  if (webhook?.state !== stateOf(status)) return { host, outcome: 'waiting' };
  const { outcome, at, attempts, reason } = webhook;
  return { host, outcome, at, attempts, ...(reason !== undefined && { reason }) };
}

export function stateOf({ isSealed, isCancelled, chunks, done, failed }: BatchStatus): BatchState {
  if (isCancelled) return 'cancelled';
  if (!isSealed) return 'adding';
  if (done + failed < chunks) return 'working';
  return failed > 0 ? 'failed' : 'done';
}

/** The speed so far, and the time that the rest takes at this speed. */
export function paceOf(status: BatchStatus): Pick<BatchSummary, 'rowsPerSecond' | 'secondsLeft'> {
  const { rows, answered } = status;
  const rowsPerSecond = speedOf(status);
  const isWorking = stateOf(status) === 'working';
  return { rowsPerSecond, secondsLeft: isWorking && rowsPerSecond ? (rows - answered) / rowsPerSecond : null };
}

/** Counts from the end of the first chunk and without that chunk, whose start is unknown. */
function speedOf({ answered, firstAt, lastAt, firstRows }: BatchStatus): number | null {
  if (firstAt === undefined || lastAt === undefined || lastAt <= firstAt) return null;
  return (1000 * (answered - firstRows)) / (lastAt - firstAt);
}

async function summariseCosts(store: Store, id: string): Promise<CostSummary | null> {
  const { buckets, sum } = await store.batches.costs(id);
  const count = [...buckets.values()].reduce((total, one) => total + one, 0);
  if (count === 0) return null;
  const histogram = { buckets: new Map(buckets), count, sum };
  const at = (share: number) => quantile(histogram, share) ?? 0;
  return { min: at(0), median: at(0.5), mean: sum / count, max: at(1) };
}
