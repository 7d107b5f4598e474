/**
 * The results of a row in batches. A block of results is rewritten as a whole: an invalid result without values stands in the place of the
 * row, so that all other rows keep their lines. Rows that wait for their answer are compressed under a digest that names their job. They
 * cannot be rewritten and are reported.
 */
import type { ResultDocument } from '../../documents/result-document.js';
import type { BatchEntry } from '../../store/batches/batch-index.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import { generationOf, type ManifestChunk } from '../../store/batches/manifest.js';
import { packLines } from '../../store/codec/result-block.js';
import type { KnownRowReference } from '../../store/known-rows/known-row-store.js';
import type { Store } from '../../store/store.js';
import type { ForgottenParts } from './forget-events.js';

const BATCHES_AT_ONCE = 100;
const CHUNKS_AT_ONCE = 200;

interface Found {
  results: number;
  readonly remaining: string[];
  readonly known: KnownRowReference[];
}

export async function forgetInBatches(store: Store, id: string): Promise<ForgottenParts> {
  const found: Found = { results: 0, remaining: [], known: [] };
  for await (const status of allBatches(store)) await forgetInBatch(store, status, id, found);
  const { results, ...others } = found;
  return { removed: { 'results of batches': results }, ...others };
}

async function* allBatches(store: Store): AsyncGenerator<BatchStatus> {
  let last: BatchEntry | undefined;
  for (;;) {
    const page = await store.batchIndex.older(BATCHES_AT_ONCE, last);
    for (const { id } of page) if (await store.batches.exists(id)) yield await store.batches.status(id);
    if (page.length < BATCHES_AT_ONCE) return;
    last = page[page.length - 1];
  }
}

async function forgetInBatch(store: Store, { manifest, chunks }: BatchStatus, id: string, found: Found): Promise<void> {
  for (let from = 0; from < chunks; from += CHUNKS_AT_ONCE) {
    const page = await store.batches.chunks(manifest.id, from, CHUNKS_AT_ONCE);
    for (const [k, chunk] of page.entries()) {
      const place = { batch: manifest.id, generation: generationOf(manifest), chunk: from + k };
      if (chunk?.state === 'done') await forgetInResults(store, place, id, found);
      else if (chunk) await reportRows(store, place, chunk, id, found);
    }
  }
}

interface ChunkPlace {
  readonly batch: string;
  readonly generation: string;
  readonly chunk: number;
}

/** Another process may rewrite the same block meanwhile. */
async function forgetInResults(store: Store, place: ChunkPlace, id: string, found: Found): Promise<void> {
  const { batch, chunk } = place;
  let lines: number[] = [];
  const isDone = await store.results.replaceResults(batch, chunk, async (digest) => {
    const text = await store.results.chunkResults(batch, chunk, digest);
    if (!text.includes(beginningOf(id))) return undefined;
    const written = withoutRow(text.toString(), id);
    lines = written.lines;
    return lines.length ? { block: packLines(written.text), counts: written.counts } : undefined;
  });
  if (!isDone) return forgetInResults(store, place, id, found);
  found.results += lines.length;
  found.known.push(...lines.map((line) => ({ ...place, line })));
}

const beginningOf = (id: string): string => `{"schema":"elsewise.result/v1","id":${JSON.stringify(id)},`;

function withoutRow(text: string, id: string) {
  const lines: number[] = [];
  const counts: Record<string, number> = {};
  const written = text.split('\n').map((line, k) => {
    if (!line.startsWith(beginningOf(id))) return line;
    const result = JSON.parse(line) as ResultDocument;
    lines.push(k);
    counts[result.status] = (counts[result.status] ?? 0) - 1;
    counts.invalid = (counts.invalid ?? 0) + 1;
    return JSON.stringify(forgotten(result));
  });
  return { lines, counts, text: written.join('\n') };
}

export const FORGOTTEN = 'forgotten';

function forgotten({ schema, model, policy, seed }: ResultDocument): ResultDocument {
  return {
    ...{ schema, id: FORGOTTEN, status: 'invalid', model, policy, target: null, factual: null, counterfactuals: [] },
    reason: { code: FORGOTTEN, message: 'the result of this row was removed with `elsewise forget`' },
    ...{ attempts: [], degraded: false, seed, elapsedMs: 0 },
  };
}

/** The rows of a chunk are text of any format: the id is searched. */
async function reportRows(
  { batches }: Store,
  { batch, chunk }: ChunkPlace,
  { state, digest }: ManifestChunk,
  id: string,
  { remaining }: Found,
): Promise<void> {
  const rows = await batches.rows(batch, chunk, digest);
  const texts = [id, JSON.stringify(id).slice(1, -1)];
  if (!rows || !texts.some((text) => rows.includes(text))) return;
  const until = state === 'failed' ? 'has failed, and its rows stay until the batch expires' : 'waits for its answers';
  const advice =
    state === 'failed' ? '`batch retry`, then forget again' : 'run forget again after them, or cancel the batch';
  remaining.push(`rows of chunk ${chunk} of batch "${batch}" have the text of the id: the chunk ${until} (${advice})`);
}
