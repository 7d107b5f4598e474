/** The contract of a plan: rows in, result documents out. */
import type { RowValue } from '../documents/model-document.js';
import type { ResultDocument } from '../documents/result-document.js';
import type { RowFault } from '../documents/row-error.js';
import type { LoadedModel } from '../models/load.js';
import type { RowGraphs } from '../policy/path.js';
import type { Policy } from '../policy/policy.js';
import type { Recheck } from './checks/recheck.js';
import type { Claims } from './checks/reprove.js';
import type { Engine } from './engines.js';
import type { ResultDetail } from './result.js';

export interface Row {
  id: string;
  features: Record<string, RowValue | undefined>;
  target?: unknown;
}

export interface PlanOptions {
  /** The clock, in milliseconds. The pure layers have no clock of their own. */
  now?: () => number;
  /** The CPU time of this thread, in milliseconds. Deadlines are measured by it. Default: the clock. */
  ownTime?: () => number;
  /** Memory for parts that only some rows need: their own targets, and policies with entries left out. */
  partBytes?: number;
  /** The graphs over the background for a `path` of the policy. Missing graphs are built, which may take a while. */
  graphs?: RowGraphs;
}

/** A row in progress: yields model inputs and is sent their raw outputs. */
export type RowSteps = Generator<readonly Float64Array[], ResultDocument, readonly Float64Array[]>;

export interface Plan {
  readonly model: LoadedModel;
  readonly policy: Policy;
  /** Throws `bad-row` if the row is no object with an id. Every other fault gives a result with the status `invalid`. */
  explain(row: Row): ResultDocument;
  /**
   * The same for a model that is scored elsewhere: yields model inputs and is sent their raw outputs, until the result is complete. Many
   * rows may be in progress at once. No row runs ahead of its scores.
   */
  explainSteps(row: Row): RowSteps;
  /** The same for values in the order of the model's features: strings of a CSV or JSON values. */
  explainRecord(
    id: string,
    raw: readonly (RowValue | undefined)[],
    target?: unknown,
    detail?: ResultDetail,
  ): ResultDocument;
  /** The same in steps. The values must not change until the result is complete. */
  explainRecordSteps(id: string, raw: readonly (RowValue | undefined)[], target?: unknown): RowSteps;
  /** The values of the last explained row, by feature; valid until the next row. */
  readonly values: Float64Array;
  /** The result of a row that could not be read. */
  invalid(id: string, faults: readonly RowFault[]): ResultDocument;
  /** Checks a reported result by itself, without a search, see checks/recheck.ts. The result must have the values of its row. */
  recheck(result: ResultDocument): Recheck;
  /** Proves claims of a reported result anew, see checks/reprove.ts. Returns the faults. */
  reprove(claims: Claims): readonly string[];
  /** The memory of the plan and its model, without memory that threads share. */
  readonly bytes: number;
  /** The engines that a row may need. Most rows need none. */
  readonly engines: readonly Engine[];
}
