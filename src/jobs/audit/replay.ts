/**
 * Solves the row of a record again, with the model and the policy of the record, and tells the keys that differ. A record has no values of
 * its person: the row comes from the stored result, from a result, or from a row that the caller has. The digest of the record's input says
 * whether the row is the row of the record.
 *
 * A result that is sent, or stored, has to be the result of the record: each key of its record is compared, the flags of its search as well.
 *
 *   same       the record of the new result has the same values as the record, and so has the result where it is known
 *   excused    time ended one of the searches, or a row was lost, and only keys of the search differ
 *   differing  everything else
 *   other-row  the row or the target is not the input of the record, or the result has another id
 */
import type { AuditedAnswer, AuditLine, RecordedAnswer } from '../../documents/audit-document.js';
import { ElsewiseError } from '../../documents/error.js';
import type { ReceiptDocument } from '../../documents/receipt-document.js';
import type { ResultDocument } from '../../documents/result-document.js';
import { loadPolicy, type Policy } from '../../policy/policy.js';
import type { GivenRow, OfferCheck } from '../../receipts/check-offer.js';
import { exportedLines } from '../../store/audit/audit-entry.js';
import { recordOf } from '../../store/audit/audit-record.js';
import { auditEntries } from '../../store/audit/read-chain.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import type { ChunkTask } from '../threads/messages.js';
import { rowLimitMs, SolverPool } from '../threads/pool.js';
import { type Comparison, excuseOf, type Finding } from '../verify/comparison.js';
import { type Difference, differencesOf } from '../verify/differences.js';
import type { CachedPlan, PlanCache } from '../worker/plan-cache.js';
import { auditedPolicy, registeredModel } from './find-policy.js';
import { resultOfRecord } from './record-result.js';
import { SOFTWARE } from './software.js';

export interface ReplayRequest {
  /** The number of the entry, and the place of the record in it. */
  readonly number: number;
  readonly index: number;
  readonly result?: ResultDocument;
  readonly features?: object;
  readonly target?: unknown;
  /** For a record whose policy is not stored. */
  readonly policy?: unknown;
}

export type ReplayVerdict = 'same' | 'excused' | 'differing' | 'other-row';

export interface Replay {
  readonly verdict: ReplayVerdict;
  readonly excuse?: string;
  /** `before` is recorded, `after` is solved again. */
  readonly differences: readonly Difference[];
  readonly faults: readonly string[];
  /** The source of the row. */
  readonly row: 'stored' | 'result' | 'features';
  readonly record: RecordedAnswer;
  readonly solved: AuditedAnswer;
  readonly software: string;
}

type FindAnswer = (id: string) => Promise<string | undefined>;
type SolvedRow = { readonly line: string; readonly result?: ResultDocument };
type ReplayRow = Pick<Replay, 'row'> & SolvedRow;

const NO_VALUES = 'the result has no values of its row: send the row';
const MOST_DIFFERENCES = 50;
const OF_SEARCH = /^(status|answers|reason|attempts|degraded|limitedBy)\b/;

export class ReplayDesk {
  readonly #store: Store;
  readonly #plans: PlanCache;
  #pool: SolverPool | undefined;

  constructor(store: Store, plans: PlanCache) {
    this.#store = store;
    this.#plans = plans;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  async replay(asked: ReplayRequest, findAnswer: FindAnswer, signal: AbortSignal): Promise<Replay> {
    const record = await findRecord(this.#store, asked);
    const policy = await this.#policyOf(record, asked.policy);
    const given = await this.#rowOf(record, asked, findAnswer);
    const plan = await this.#plans.get(await this.#pinOf(record), policy);
    const solved = await this.#solve(given, plan, policy, signal);
    const result = JSON.parse(Buffer.from(solved).toString()) as ResultDocument;
    const found = judge(record.record, { ...result, id: record.record.id });
    const shown = { row: given.row, record, solved: recordOf(result), software: SOFTWARE };
    if (!given.result || found.verdict === 'other-row') return { ...found, ...shown };
    const whole = withResult(found, await this.#compareWith(given, solved, plan));
    return { ...ofRecord(whole, record.record, given.result), ...shown };
  }

  /** A result against its row solved again. Undefined: the results are the same, or the model is scored elsewhere. */
  async compare(
    result: ResultDocument,
    pin: ModelPin,
    policy: Policy,
    signal: AbortSignal,
  ): Promise<Finding | undefined> {
    const plan = await this.#plans.get(pin, policy);
    if (plan.model.scored || !result.factual) return undefined;
    const given = { line: JSON.stringify(result), result };
    const { findings } = await this.#compareWith(given, await this.#solve(given, plan, policy, signal), plan);
    return findings[0];
  }

  async #solve(given: SolvedRow, plan: CachedPlan, policy: Policy, signal: AbortSignal): Promise<Uint8Array> {
    const shape = { output: 'ndjson', firstRow: 1, rows: 1, bytes: bytesOf(given) } as const;
    const layout: ChunkTask['layout'] = { format: 'ndjson', ...(given.result && { holds: 'results' }) };
    const limits = { rowLimitMs: rowLimitMs(policy.document.deadlineMs), signal };
    return (await this.#threads.run({ kind: 'explain', ...plan, layout, ...shape }, limits)).bytes;
  }

  #compareWith(given: SolvedRow, solved: Uint8Array, plan: CachedPlan): Promise<Comparison> {
    const lines = { bytes: bytesOf(given), solved, isFromResults: true };
    return this.#threads.runDocument({ kind: 'compare', ...lines, ...plan } as const);
  }

  /** Checks the claims of a receipt. The model has to be scored here. */
  async recheck(receipt: ReceiptDocument, row: GivenRow, pin: ModelPin, policy: Policy): Promise<OfferCheck> {
    const plan = await this.#plans.get(pin, policy);
    if (plan.model.scored)
      throw new ElsewiseError(
        'unsupported',
        'the model is scored elsewhere, and the offers cannot be scored here',
        'body.features',
      );
    return this.#threads.runDocument({ kind: 'offers', ...plan, receipt, row } as const);
  }

  async #policyOf({ policy: ofRecord, ...head }: RecordedAnswer, given: unknown): Promise<Policy> {
    const { name, digest } = ofRecord;
    const policy =
      given === undefined
        ? await auditedPolicy(this.#store, { policy: ofRecord, ...head })
        : loadPolicy(given, 'body.policy');
    if (!policy)
      throw new ElsewiseError(
        'not-known',
        `the policy "${name}" (${digest}) is not stored: send its document`,
        'body.policy',
      );
    if (policy.digest !== digest)
      throw new ElsewiseError(
        'conflict',
        `the policy of the record is ${digest}, and this policy is ${policy.digest}`,
        'body.policy',
      );
    return policy;
  }

  async #pinOf({ model: { name, digest } }: RecordedAnswer): Promise<ModelPin> {
    const found = await registeredModel(this.#store, { name, digest });
    if (!found) throw new ElsewiseError('not-known', `the model "${name}" (${digest}) is no longer in the registry`);
    return found;
  }

  async #rowOf(
    record: RecordedAnswer,
    { result, features, target }: ReplayRequest,
    find: FindAnswer,
  ): Promise<ReplayRow> {
    if (features) return { row: 'features', line: JSON.stringify({ id: record.record.id, features, target }) };
    if (result) {
      if (!result.factual) throw new ElsewiseError('bad-row', NO_VALUES, 'body.result.factual');
      return { row: 'result', line: JSON.stringify(result), result };
    }
    const stored = await resultOfRecord(this.#store, record, find);
    if (stored) return { row: 'stored', line: JSON.stringify(stored), result: stored };
    throw new ElsewiseError('not-known', 'the answer is no longer stored: send the result or the row', 'body.features');
  }

  get #threads(): SolverPool {
    this.#pool ??= new SolverPool({ threads: 1 });
    return this.#pool;
  }
}

const bytesOf = ({ line }: SolvedRow): Buffer => Buffer.from(`${line}\n`);

async function findRecord(store: Store, { number, index }: ReplayRequest): Promise<RecordedAnswer> {
  for await (const entry of auditEntries(store.audit, { after: number - 1 })) {
    if (entry.head.number !== number) break;
    const line = [...exportedLines(entry)][index];
    if (line !== undefined) return answerOf(JSON.parse(line) as AuditLine);
  }
  throw new ElsewiseError('not-known', `the record has no entry ${number} with a row ${index}`, 'body.number');
}

function answerOf(line: AuditLine): RecordedAnswer {
  const { number } = line;
  if (line.schema === 'elsewise.audit-redaction/v1')
    throw new ElsewiseError('not-known', `entry ${number} is about a removal of data and has no row`, 'body.number');
  if (line.record === null) throw new ElsewiseError('not-known', FORGOTTEN_RECORD, 'body.index');
  return line as RecordedAnswer;
}

const FORGOTTEN_RECORD =
  'the record was removed with `elsewise forget`: only its digest is left, and no row can be compared with it';

type Found = Pick<Replay, 'verdict' | 'excuse' | 'differences' | 'faults'>;

function judge(record: AuditedAnswer, solved: ResultDocument): Found {
  const differences = differencesOf(record, recordOf(solved), MOST_DIFFERENCES);
  if (differences.length === 0) return { verdict: 'same', differences, faults: [] };
  if (differences.some(({ path }) => path === 'input')) return { verdict: 'other-row', differences, faults: [] };
  const excuse = excuseOf(record) ?? excuseOf(solved);
  const isExcused = excuse !== undefined && differences.every(({ path }) => OF_SEARCH.test(path));
  return isExcused
    ? { verdict: 'excused', excuse, differences, faults: [] }
    : { verdict: 'differing', differences, faults: [] };
}

/** The whole result has more keys than its record. */
function withResult(found: Found, { findings: [finding] }: Comparison): Found {
  if (!finding) return found;
  const { excuse, differences, faults } = finding;
  const verdict = found.verdict === 'differing' ? 'differing' : finding.kind;
  return {
    verdict,
    ...(verdict === 'excused' && { excuse }),
    differences: [...found.differences, ...differences],
    faults,
  };
}

/** A result with other keys than its record was changed, whatever its flags say. */
function ofRecord(found: Found, record: AuditedAnswer, result: ResultDocument): Found {
  const differences = differencesOf(record, recordOf(result), MOST_DIFFERENCES);
  if (differences.length === 0) return found;
  const isOtherRow = differences.some(({ path }) => path === 'id' || path === 'input');
  const told = differences.map(
    ({ path, before, after }) => `the record has ${path} ${before}, and the result ${after}`,
  );
  const { excuse: _, ...others } = found;
  return { ...others, verdict: isOtherRow ? 'other-row' : 'differing', faults: [...told, ...found.faults] };
}
