/**
 * Solves the rows of reported results again and compares the results byte by byte (comparison.ts). The rows come from their file, or from
 * the results themselves. A run of `explain` solves the rows; its output goes into the comparison instead of a file. Memory does not
 * grow with the number of results.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import { type BulkJob, type BulkReport, runBulk } from '../bulk/bulk.js';
import { noResults } from '../results/read-results.js';
import type { ByteSink, ByteSource } from '../rows/streams.js';
import type { CompareTask } from '../threads/messages.js';
import type { SolverPool } from '../threads/pool.js';
import { referToPlan } from '../threads/shared-documents.js';
import { type Comparison, FINDINGS, type Finding, type FindingKind } from './comparison.js';
import { type ResultHead, ResultLines } from './result-lines.js';

export interface VerifyJob extends Pick<BulkJob, 'model' | 'pool' | 'table' | 'signal' | 'onWarning' | 'onProgress'> {
  readonly policy: Policy;
  readonly results: ByteSource;
  /** Omitted: the rows of the results, which are read a second time from their file. */
  readonly input?: ByteSource;
  /** Findings come in the order of the rows. */
  onFinding(finding: Finding): Promise<void>;
}

export interface VerifyReport extends Pick<BulkReport, 'interrupted' | 'elapsedMs'> {
  readonly counts: Readonly<Record<FindingKind, number>>;
  /** Results beyond the last row of the input. */
  readonly withoutRow: number;
}

/** Comparisons in progress for each thread. */
const PER_THREAD = 2;

export async function verifyResults(job: VerifyJob): Promise<VerifyReport> {
  const { input, results, model, policy } = job;
  const lines = new ResultLines(results);
  const head = await lines.head();
  if (!head) throw noResults(results.name);
  checkPlan(head, model, policy, results.name);
  const sink = new ComparingSink(lines, job);
  const { interrupted, elapsedMs } = await runBulk({
    ...job,
    kind: 'explain',
    input: input ?? results,
    isOfResults: !input,
    output: { format: 'ndjson', header: '', open: async () => sink },
  });
  const withoutRow = interrupted ? 0 : await sink.countRest();
  return { counts: sink.counts, withoutRow, interrupted, elapsedMs };
}

/** Results of another model or policy need no search. */
function checkPlan({ id, ...made }: ResultHead, model: LoadedModel, policy: Policy, name: string): void {
  for (const [kind, { digest }] of Object.entries({ model, policy })) {
    const of = made[kind as 'model' | 'policy'].digest;
    if (of === digest) continue;
    const message = `the first result, "${id}", is of the ${kind} ${of}, and --${kind} is ${digest}`;
    throw new ElsewiseError('conflict', `${message}: give the ${kind} and the options of the run`, name);
  }
}

/** Takes solved lines in order and compares them with as many lines of the results. */
class ComparingSink implements ByteSink {
  readonly counts: Record<FindingKind, number> = { same: 0, unsolved: 0, excused: 0, differing: 0 };
  readonly #lines: ResultLines;
  readonly #job: VerifyJob;
  readonly #pool: SolverPool;
  readonly #plan: Pick<CompareTask, 'planKey' | 'model' | 'policy'>;
  readonly #underWay: Promise<Comparison>[] = [];

  constructor(lines: ResultLines, job: VerifyJob) {
    this.#lines = lines;
    this.#job = job;
    this.#pool = job.pool;
    this.#plan = referToPlan(job.model, job.policy);
  }

  async write(solved: Uint8Array): Promise<void> {
    const bytes = await this.#lines.take(countLines(solved));
    const isFromResults = this.#job.input === undefined;
    const comparison = this.#pool.runDocument({ kind: 'compare', ...this.#plan, bytes, solved, isFromResults });
    comparison.catch(() => {}); // reported when its turn comes
    this.#underWay.push(comparison);
    if (this.#underWay.length > PER_THREAD * this.#pool.threads) await this.#finishFirst();
  }

  async close(): Promise<void> {
    while (this.#underWay.length) await this.#finishFirst();
  }

  async #finishFirst(): Promise<void> {
    const { counts, findings } = await this.#underWay.shift()!;
    for (const kind of FINDINGS) this.counts[kind] += counts[kind];
    for (const finding of findings) await this.#job.onFinding(finding);
  }

  /** The results that no row has. */
  async countRest(): Promise<number> {
    let rest = 0;
    for (;;) {
      const bytes = await this.#lines.take(REST_ROWS);
      if (bytes.length === 0) return rest;
      rest += countLines(bytes);
    }
  }
}

const REST_ROWS = 1_000;
const LF = 0x0a;

/** Lines that end, and an incomplete last line. */
function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines + (bytes.length > 0 && bytes[bytes.length - 1] !== LF ? 1 : 0);
}
