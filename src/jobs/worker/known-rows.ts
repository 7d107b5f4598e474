/**
 * Solves only new rows. The same values under the same model, policy and target have the same answer. A row that the index knows
 * (store/known-rows/known-row-store.ts) is answered with a copy of its result, under its own id.
 *
 *   keys of the rows, from a thread  ->  one lookup in the index  ->  blocks with known results  ->  the rest is solved
 *
 * A lookup costs a few microseconds per row. Opening a block of another batch costs about 4 milliseconds, because the block is read as a
 * whole. The lookup is skipped when only the batch itself could have left results, unless rows are slow. Of the found blocks, those that
 * save more than they cost are opened, and always the few that answer most rows.
 */
import type { Policy } from '../../policy/policy.js';
import type { BatchName, KnownRowReference } from '../../store/known-rows/known-row-store.js';
import type { Store } from '../../store/store.js';
import type { ChunkAnswer, KnownResults, KnownSource } from '../threads/messages.js';
import { isVolatilePlan, planTag } from '../threads/shared-documents.js';
import type { Rows, Solve, TaskOptions } from './lane.js';
import type { CachedPlan } from './plan-cache.js';

export interface KnownRowsJob {
  readonly plan: CachedPlan;
  readonly policy: Policy;
  readonly rows: Rows;
  readonly options: TaskOptions;
  /** The batch of the rows. */
  readonly batch?: BatchName;
  /** The approximate time of a row, if known. */
  readonly msPerRow?: number;
}

/** Slower rows are worth a lookup within their own batch. */
const SLOW_ROW_MS = 0.5;
const BLOCK_MS = 4;
const ALWAYS_OPENED = 4;

interface Source {
  readonly reference: KnownRowReference;
  readonly rows: { readonly row: number; readonly line: number }[];
}

export class KnownRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The answer contains the keys of the rows that can be remembered. */
  async solve(job: KnownRowsJob, solve: Solve): Promise<ChunkAnswer> {
    const { plan, policy, rows, options } = job;
    const isOn = this.#store.knownRows.isOn && !isVolatilePlan(plan);
    const known = isOn && (await this.#isWorthALook(job)) ? await this.#find(job, solve) : undefined;
    return solve(plan, policy, rows, { ...options, known, isKeyed: isOn });
  }

  async rememberChunk(plan: CachedPlan, batch: BatchName, chunk: number, { keys }: ChunkAnswer): Promise<void> {
    if (keys) await this.#store.knownRows.addChunk(planTag(plan), batch, chunk, keys);
  }

  async rememberAnswer(plan: CachedPlan, answerKey: string, { keys }: ChunkAnswer): Promise<void> {
    if (keys) await this.#store.knownRows.addAnswer(planTag(plan), keys, answerKey);
  }

  async #isWorthALook({ plan, batch, msPerRow = 0 }: KnownRowsJob): Promise<boolean> {
    return msPerRow >= SLOW_ROW_MS || this.#store.knownRows.hasOthers(planTag(plan), batch);
  }

  async #find(
    { plan, policy, rows, options, msPerRow = 0 }: KnownRowsJob,
    solve: Solve,
  ): Promise<KnownResults | undefined> {
    const { signal } = options;
    const { keys } = await solve(plan, policy, rows, { kind: 'keys', isKeyed: true, signal });
    const found = await this.#store.knownRows.find(planTag(plan), keys!);
    const sources = [...groupBySource(found)].sort((a, b) => b.rows.length - a.rows.length);
    const opened = sources.filter(({ rows }, i) => i < ALWAYS_OPENED || rows.length * msPerRow > BLOCK_MS);
    if (opened.length === 0) return undefined;
    return knownOf(opened, await Promise.all(opened.map(({ reference }) => this.#read(reference))), rows.rows);
  }

  async #read(reference: KnownRowReference): Promise<KnownSource | undefined> {
    if ('batch' in reference) return (await this.#store.results.blocks([reference]))[0];
    const answer = await this.#store.results.answer(reference.answer);
    return answer === undefined ? undefined : { answer };
  }
}

function groupBySource(found: readonly (KnownRowReference | undefined)[]): Iterable<Source> {
  const sources = new Map<string, Source>();
  for (const [row, reference] of found.entries()) {
    if (!reference) continue;
    const isLine = 'batch' in reference;
    const name = isLine ? `${reference.batch}@${reference.generation}:${reference.chunk}` : reference.answer;
    const source = sources.get(name) ?? { reference, rows: [] };
    source.rows.push({ row, line: isLine ? reference.line : 0 });
    sources.set(name, source);
  }
  return sources.values();
}

function knownOf(sources: readonly Source[], read: readonly (KnownSource | undefined)[], rows: number): KnownResults {
  const known = { sources: [] as KnownSource[], source: new Int32Array(rows).fill(-1), line: new Int32Array(rows) };
  for (const [i, { rows }] of sources.entries()) {
    const source = read[i];
    if (!source) continue;
    for (const { row, line } of rows) {
      known.source[row] = known.sources.length;
      known.line[row] = line;
    }
    known.sources.push(source);
  }
  return known;
}
