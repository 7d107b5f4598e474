/** All stored batches, newest first, a page at a time. The place of a page is the last batch before it. */
import { ElsewiseError } from '../../documents/error.js';
import type { BatchEntry } from '../../store/batches/batch-index.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import type { Store } from '../../store/store.js';
import { type BatchState, stateOf } from './batch-summary.js';

export interface BatchPage {
  readonly batches: readonly BatchStatus[];
  /** The place of the next page. Undefined: this page is the last. */
  readonly next: string | undefined;
}

/** A part of the text of id, model, policy and sender, and a state. */
export interface BatchFilter {
  readonly search?: string;
  readonly state?: BatchState;
}

/** The number of batches that one call looks through. The next page continues there. */
const MOST_LOOKED_AT = 500;

export async function listBatches(
  store: Store,
  limit: number,
  place?: string,
  filter: BatchFilter = {},
): Promise<BatchPage> {
  const batches: BatchStatus[] = [];
  let after = place === undefined ? undefined : readPlace(place);
  let last = after;
  const matches = matcherOf(filter);
  const least = Object.keys(filter).length > 0 ? LEAST_FILTERED : 1;
  for (let looked = 0; ; ) {
    const wanted = Math.max(least, limit + 1 - batches.length); // one more tells whether another page follows
    if (looked >= MOST_LOOKED_AT) return { batches, next: placeOf(last!) };
    const entries = await store.batchIndex.older(wanted, after);
    const found = await Promise.all(entries.map((entry) => statusOf(store, entry)));
    for (const [i, status] of found.entries()) {
      if (status && matches(status)) {
        if (batches.length === limit) return { batches, next: placeOf(last!) };
        batches.push(status);
      }
      last = entries[i];
    }
    looked += entries.length;
    if (entries.length < wanted) return { batches, next: undefined };
    after = entries.at(-1);
  }
}

/** A search looks through this many batches in one round trip. */
const LEAST_FILTERED = 100;

const placeOf = ({ createdMs, id }: BatchEntry): string => `${createdMs}.${id}`;

function matcherOf({ search, state }: BatchFilter): (status: BatchStatus) => boolean {
  const wanted = search?.toLowerCase();
  return (status) =>
    (state === undefined || stateOf(status) === state) &&
    (wanted === undefined || wordsOf(status).toLowerCase().includes(wanted));
}

const wordsOf = ({ manifest: { id, model, policy, by } }: BatchStatus): string =>
  [id, `${model.name}@${model.version}`, policy.document.name, by].join('\n');

/** Undefined: the batch has expired. */
async function statusOf(store: Store, entry: BatchEntry): Promise<BatchStatus | undefined> {
  try {
    return await store.batches.status(entry.id);
  } catch (error) {
    if (!(error instanceof ElsewiseError) || error.code !== 'not-known') throw error;
    await store.batchIndex.forget(entry);
    return undefined;
  }
}

function readPlace(place: string): BatchEntry {
  const [, createdMs, id] = /^(\d{1,15})\.(.{1,100})$/.exec(place) ?? [];
  if (!id) throw new ElsewiseError('usage', `"${place}" is no place in the list of batches`);
  return { id, createdMs: Number(createdMs) };
}
