/**
 * Comparisons for pages and programs, as bounded work: a limited number of rows, in solver threads of their own, within a time. Rows are solved
 * in small parts. A question that nobody waits for ends with the part in progress, and no thread is lost.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ElsewiseError } from '../../documents/error.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import { changeInWords, type PolicyChange } from '../../policy/change/change-policy.js';
import { hasSameCosts } from '../../policy/change/same-cost.js';
import { defaultPolicy, type Policy } from '../../policy/policy.js';
import type { ComparisonOptions } from '../../report/comparison/comparison-collector.js';
import { type ModelPin, pinOf } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import { type BatchPart, readyResults } from '../batches/batch.js';
import { refuseLongDeadline } from '../events/event-deadline.js';
import { recordsOf } from '../rows/records.js';
import { comparisonInThread, sampleInThread } from '../tables/table-host.js';
import type { OpenedSide, RowLayout } from '../threads/messages.js';
import { rowLimitMs, SolverPool } from '../threads/pool.js';
import { planKey } from '../threads/shared-documents.js';
import type { PlanCache } from '../worker/plan-cache.js';

export interface ComparisonLimits {
  readonly comparisonRows: number;
  readonly comparisonMs: number;
  readonly comparisonThreads: number;
}

/** A policy: a document, or a reference to the registry; and its change. */
export interface AskedPolicy extends PolicyChange {
  readonly policy?: unknown;
}

export interface ComparisonQuestion {
  readonly rows: string;
  readonly before: { readonly model: string; readonly policy?: unknown };
  readonly after: AskedPolicy & { readonly model?: string };
  readonly by: readonly string[];
}

export interface WhatIfQuestion extends AskedPolicy {
  readonly people: ComparisonOptions['solved'];
  readonly rows?: number;
  readonly seed: number;
  readonly by: readonly string[];
}

interface Side {
  readonly pin: ModelPin;
  readonly policy: Policy;
  readonly rows: OpenedSide['rows'];
}

/** The number of rows between two looks whether somebody still waits. */
const PART_ROWS = 5;
/** Results that are kept. */
const KEPT_BYTES = 32 << 20;
const NDJSON: RowLayout = { format: 'ndjson' };

export class ComparisonDesk {
  readonly #store: Store;
  readonly #models: PlanCache;
  readonly #limits: ComparisonLimits;
  readonly #known = new LRUCache<string, Uint8Array>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 1,
  });
  #pool: SolverPool | undefined;

  constructor(store: Store, models: PlanCache, limits: ComparisonLimits) {
    this.#store = store;
    this.#models = models;
    this.#limits = limits;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  /** The bytes of the document. */
  async compare({ rows, before, after, by }: ComparisonQuestion, gone: AbortSignal): Promise<Uint8Array> {
    const ending = this.#ending(gone);
    const text = Buffer.from(rows);
    const basis = before.policy ?? defaultPolicy().document;
    const sides = await Promise.all([
      this.#open(before.model, { policy: basis }, text),
      this.#open(after.model ?? before.model, { ...after, policy: after.policy ?? basis }, text),
    ]);
    const [one, other] = await Promise.all(
      sides.map((side) => this.#solve(side, side.rows!.bytes, side.rows!.layout, ending)),
    );
    const change = [otherModel(sides), policyInWords(after)].filter(Boolean).join(', ') || 'The same policy';
    const options = { by, change, solved: 'all', hasSameCosts: areAlike(sides[0], sides[1]) } as const;
    return this.#threads.runDocument({ kind: 'pair', before: one, after: other, options });
  }

  /** The bytes of the document, for the results of a batch under a changed policy. */
  async whatIf(id: string, question: WhatIfQuestion, gone: AbortSignal): Promise<Uint8Array> {
    const ending = this.#ending(gone);
    const { manifest } = await this.#store.batches.status(id);
    const { document } = manifest.policy;
    const { people: solved, rows = this.#limits.comparisonRows, seed, by, ...asked } = question;
    const side = await this.#openPinned(manifest.model, { ...asked, policy: asked.policy ?? document });
    const isAlike = areAlike({ pin: manifest.model, policy: { document } }, side);
    const options = { by, seed, solved, change: policyInWords(question), hasSameCosts: isAlike };
    const most = Math.min(rows, this.#limits.comparisonRows);
    const parts = untilGone(readyResults(this.#store, id), ending);
    return comparisonInThread({ options, policy: document, most }, parts, (lines) =>
      this.#solve(side, lines, NDJSON, ending),
    );
  }

  /** Rows of a batch as NDJSON, drawn by the seed. */
  async sampleRows(id: string, rows: number, seed: number, gone: AbortSignal): Promise<Uint8Array> {
    const { manifest } = await this.#store.batches.status(id);
    const parts = untilGone(readyResults(this.#store, id), gone);
    return sampleInThread(manifest.policy.document, Math.min(rows, this.#limits.comparisonRows), seed, parts);
  }

  async #open(model: string, asked: AskedPolicy, text: Uint8Array): Promise<Side> {
    return this.#openPinned(pinOf(await this.#store.models.resolve(model)), asked, text);
  }

  async #openPinned(pin: ModelPin, { policy: given, allow, merge }: AskedPolicy, text?: Uint8Array): Promise<Side> {
    const document = typeof given === 'string' ? (await this.#store.policies.load(given)).document : given;
    const model = await this.#models.model(pin);
    const mostRows = this.#limits.comparisonRows;
    const task = { kind: 'side', model, policy: document, change: { allow, merge }, text, mostRows } as const;
    const { policy, rows } = await this.#threads.runDocument(task);
    refuseLongDeadline(policy.document.deadlineMs);
    return { pin, policy, rows };
  }

  /** The results of rows, in order. The first side of a page's questions stays the same: its results are kept for a while. */
  async #solve(side: Side, bytes: Uint8Array, layout: RowLayout, ending: AbortSignal): Promise<Uint8Array> {
    const rows = createHash('sha256').update(JSON.stringify(layout)).update(bytes).digest('hex');
    const key = `${planKey(side.pin, side.policy.digest)} ${rows}`;
    const known = this.#known.get(key);
    if (known) return known;
    const results = await this.#solveAnew(side, bytes, layout, ending);
    if (!side.pin.volatile) this.#known.set(key, results);
    return results;
  }

  async #solveAnew(
    { pin, policy }: Side,
    bytes: Uint8Array,
    layout: RowLayout,
    ending: AbortSignal,
  ): Promise<Uint8Array> {
    const { family: _, ...plan } = await this.#models.get(pin, policy);
    const limit = { rowLimitMs: rowLimitMs(policy.document.deadlineMs) };
    const parts = partsOf(Buffer.from(bytes), layout);
    const answers: Uint8Array[] = [];
    let next = 0;
    const lane = async () => {
      while (next < parts.length) {
        ending.throwIfAborted();
        const at = next++;
        const task = { ...plan, ...parts[at], kind: 'explain', layout, output: 'ndjson' } as const;
        answers[at] = (await this.#threads.run(task, limit)).bytes;
      }
    };
    await Promise.all(Array.from({ length: this.#limits.comparisonThreads }, lane));
    return Buffer.concat(answers);
  }

  /** Aborted when nobody waits or the time is over. */
  #ending(gone: AbortSignal): AbortSignal {
    const { comparisonMs } = this.#limits;
    const late = new AbortController();
    const message = `the comparison did not end within ${comparisonMs} ms (api.comparisonMs): ask for fewer rows, or use the command compare`;
    setTimeout(() => late.abort(new ElsewiseError('too-slow', message)), comparisonMs).unref();
    return AbortSignal.any([gone, late.signal]);
  }

  get #threads(): SolverPool {
    this.#pool ??= new SolverPool({ threads: this.#limits.comparisonThreads });
    return this.#pool;
  }
}

function partsOf(bytes: Buffer, layout: RowLayout) {
  const starts = [...recordsOf(bytes, layout)].map(({ start }) => start);
  return Array.from({ length: Math.ceil(starts.length / PART_ROWS) }, (_, k) => {
    const from = k * PART_ROWS;
    const rows = Math.min(PART_ROWS, starts.length - from);
    return { bytes: bytes.subarray(starts[from], starts[from + rows] ?? bytes.length), firstRow: from + 1, rows };
  });
}

type Measured = Pick<Side, 'pin'> & { readonly policy: { readonly document: PolicyDocument } };

function areAlike(...sides: [Measured, Measured]): boolean {
  const [one, other] = sides.map(({ pin, policy }) => ({ modelDigest: pin.digest, policy: policy.document }));
  return hasSameCosts(one, other);
}

function otherModel([{ pin: one }, { pin: other }]: readonly Side[]): string {
  if (one.digest === other.digest) return '';
  return `Model ${other.name}@${other.version} in place of ${one.name}@${one.version}`;
}

function policyInWords({ policy, ...change }: AskedPolicy): string {
  const changed = changeInWords(change);
  if (policy === undefined && !changed) return '';
  const named =
    typeof policy === 'string' ? `Policy ${policy}` : policy === undefined ? 'The policy' : 'The changed policy';
  return named + changed;
}

/** Reading ends when nobody waits. */
async function* untilGone(parts: AsyncIterable<BatchPart>, ending: AbortSignal): AsyncGenerator<BatchPart> {
  for await (const part of parts) {
    ending.throwIfAborted();
    yield part;
  }
}
