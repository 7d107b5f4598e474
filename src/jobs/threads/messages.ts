/**
 * All messages between the main thread and the solver threads.
 *
 * A task is a run of whole input records as bytes. Its answer is a run of whole output lines as bytes. Parsing, solving and formatting
 * happen in the threads. The main thread finds line ends and moves buffers. Where the main thread has only a document, a thread loads the
 * model from the document.
 */

import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode, PlacedFault } from '../../documents/error.js';
import type { ReceiptDocument } from '../../documents/receipt-document.js';
import type { SharedModelParts } from '../../models/load.js';
import type { ModelPopulation } from '../../models/population.js';
import type { SharedRowGraph } from '../../models/rows/row-graph.js';
import type { PolicyChange } from '../../policy/change/change-policy.js';
import type { Defaults } from '../../policy/defaults.js';
import type { Policy } from '../../policy/policy.js';
import type { GivenRow, OfferCheck } from '../../receipts/check-offer.js';
import type { ComparisonOptions } from '../../report/comparison/comparison-collector.js';
import type { ScorerCode } from '../../scoring/failure-codes.js';
import type { ScoredModel } from '../../scoring/point-scorer.js';
import type { AuditBlock } from '../../store/audit/audit-record.js';
import type { ResultBlock } from '../../store/codec/result-block.js';
import type { AdmittedModel } from '../../store/registry/model-store.js';
import type { AdmittedPolicy } from '../../store/registry/policy-store.js';
import type { EventForm, ReadEvent } from '../events/read-event.js';
import type { LetterWish } from '../letters.js';
import type { Tally } from '../results/tally.js';
import type { NumberFormat } from '../rows/number-format.js';
import type { Comparison } from '../verify/comparison.js';
import type { PlanUse } from './plan-memory.js';

/** The positions of a record's fields, decided once, from the header, on the main thread. */
export type RowLayout = NdjsonLayout | CsvLayout;

export interface NdjsonLayout {
  readonly format: 'ndjson';
  /** Set: the records are results, and each row is the row that its result explains. */
  readonly holds?: 'results';
}

export interface CsvLayout {
  readonly format: 'csv';
  readonly delimiter: string;
  /** The number of fields in a record. */
  readonly columns: number;
  /** Column of each feature of the model, in the model's order; -1: the file has none, and the model imputes it. */
  readonly featureColumns: readonly number[];
  /** -1: none; rows are numbered. */
  readonly idColumn: number;
  /** -1: none. */
  readonly targetColumn: number;
  /** The format of each feature's numbers, in the model's order. Null: numbers as programs write them. Undefined: null for all. */
  readonly numbers?: readonly (NumberFormat | null)[];
}

/** The features that a header is read against: in the model's order, with whether each is required. */
export interface HeaderFeature {
  readonly name: string;
  readonly isImputed: boolean;
  /** The numbers of the feature: any, whole ones, or none because it has other values. */
  readonly numbers: 'any' | 'whole' | 'none';
}

/** `brief`: short lines of NDJSON. `cells`: a JSON list of values for each line of a table. */
export type OutputFormat = 'ndjson' | 'brief' | 'csv' | 'cells';

/** UTF-8 JSON in memory that all threads share. */
export type SharedJson = SharedArrayBuffer;

/** A packed model: its parts in shared memory, the rest as JSON. */
export interface SharedModel {
  readonly rest: SharedJson;
  readonly parts: SharedModelParts;
  /** For a model that is scored elsewhere: the data for its scorer. */
  readonly scored: ScoredModel | null;
}

/** Graphs over the background rows, in shared memory, by the keys of their specifications. */
export type SharedGraphs = readonly (readonly [string, SharedRowGraph])[];

/** The cause for rows that are answered without being solved: their thread died, or the solver threw. */
export interface RowLoss {
  readonly code: 'overran' | 'thread-lost' | 'failed' | ScorerCode;
  readonly message: string;
}

/** The source of known results: a stored chunk, or the answer to an event. */
export type KnownSource = ResultBlock | { readonly answer: string };

/** Known results, and for each row the line and source of its result (-1: none). */
export interface KnownResults {
  readonly sources: readonly KnownSource[];
  readonly source: Int32Array;
  readonly line: Int32Array;
}

export interface ChunkTask {
  /** `keys`: only computes the keys of the rows, see row-key.ts. */
  readonly kind: 'explain' | 'predict' | 'keys';
  /** Threads cache prepared plans under this key: the same key must mean the same model and policy. */
  readonly planKey: string;
  readonly model: SharedModel;
  /** Omitted for `predict`. */
  readonly policy?: SharedJson;
  /** For a policy that asks for paths. */
  readonly graphs?: SharedGraphs;
  readonly layout: RowLayout;
  readonly output: OutputFormat;
  /** Whole records, unchanged from the input. */
  readonly bytes: Uint8Array;
  /** Number of the first record in the input, counted from 1. */
  readonly firstRow: number;
  /** The number of records in `bytes`. */
  readonly rows: number;
  /** Set: every row is answered with this loss, and nothing is solved. */
  readonly loss?: RowLoss;
  /** Rows with known results. */
  readonly known?: KnownResults;
  /** The answer contains the rows' keys. */
  readonly isKeyed?: boolean;
  /** The answer is a block for the store. */
  readonly isPacked?: boolean;
  /** The answer contains records for the audit, beside the block. */
  readonly isAudited?: boolean;
}

/** A document of the registry. */
export interface StoredDocument {
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly version: number;
}

/** A stored document that a thread loads and packs, for all threads. */
export interface PackTask extends StoredDocument {
  readonly kind: 'pack';
}

/** A model and a policy that asks for paths. A thread builds the graphs for all threads. */
export interface GraphTask extends Required<Pick<ChunkTask, 'model' | 'policy'>> {
  readonly kind: 'graphs';
}

/** An untrusted document that a thread checks and prepares for the registry. */
export interface AdmitTask {
  readonly kind: 'admit';
  readonly of: 'model' | 'policy';
  readonly bytes: Uint8Array;
  readonly maxDocumentMb: number;
}

/** Lines of results that a thread turns into a block for the store. */
export interface BlockTask extends Pick<ChunkTask, 'isAudited'> {
  readonly kind: 'block';
  readonly bytes: Uint8Array;
}

/** A stored model and the policy of a new batch: a thread prepares them and keeps the plan for `TimeTask`. */
export interface TryTask extends StoredDocument {
  readonly kind: 'try';
  readonly policy: Policy;
}

/** Rows whose time is measured with the plan that the thread has tried. */
export interface TimeTask extends Pick<ChunkTask, 'layout' | 'bytes' | 'firstRow'> {
  readonly kind: 'time';
}

/** Reported results, and the results of the same rows solved again. A thread compares them. */
export interface CompareTask extends Pick<ChunkTask, 'planKey' | 'model' | 'policy' | 'graphs'> {
  readonly kind: 'compare';
  /** Lines of the reported results. */
  readonly bytes: Uint8Array;
  /** Lines of the results solved again. */
  readonly solved: Uint8Array;
  /** Whether the rows were read from the reported results. */
  readonly isFromResults: boolean;
}

/** The offers of a receipt, which the model scores again. */
export interface OfferTask extends Pick<ChunkTask, 'planKey' | 'model' | 'policy' | 'graphs'> {
  readonly kind: 'offers';
  readonly receipt: ReceiptDocument;
  readonly row: GivenRow;
}

/** A model whose population is asked for, with up to so many rows of its background. */
export interface PopulationTask {
  readonly kind: 'population';
  readonly model: SharedModel;
  readonly rows: number;
}

/** A policy from outside whose faults are asked for. Without a model only its form is checked. */
export interface CheckTask {
  readonly kind: 'check';
  readonly model: SharedModel | undefined;
  readonly policy: unknown;
}

/** A result whose letter is asked for. */
export interface LetterTask extends LetterWish {
  readonly kind: 'letter';
  readonly model: SharedModel;
}

/** A side of a comparison: a policy from outside with its change, and rows from outside. */
export interface SideTask {
  readonly kind: 'side';
  readonly model: SharedModel;
  readonly policy: unknown;
  readonly change: PolicyChange;
  /** Text of CSV or NDJSON. Omitted: the rows come later. */
  readonly text?: Uint8Array;
  /** More rows are refused. */
  readonly mostRows: number;
}

/** Lines of results of two sides. A thread compares them. */
export interface PairTask {
  readonly kind: 'pair';
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly options: ComparisonOptions;
}

/** An event that is too long for the main loop. */
export interface ReadTask {
  readonly kind: 'read';
  readonly bytes: Uint8Array;
  readonly form: EventForm;
}

export type DocumentTask =
  | PackTask
  | GraphTask
  | AdmitTask
  | TryTask
  | ReadTask
  | BlockTask
  | CompareTask
  | OfferTask
  | PopulationTask
  | LetterTask
  | CheckTask
  | SideTask
  | PairTask;
export type Task = ChunkTask | DocumentTask | TimeTask;

/**
 * A task in transit to a thread. The first counter is the number of finished rows, and below zero until the plan is ready. The second
 * counter moves while rows wait for their scorer.
 */
export type ThreadTask<T extends Task = Task> = T & {
  readonly progress: Int32Array;
  /** A port to the thread that asks scorers, for a model that is scored over the network. */
  readonly scorerPort?: MessagePort;
  /** A port to the main thread, which counts the points that the thread scores itself. */
  readonly newsPort?: MessagePort;
};
/** The data of a new thread. */
export interface ThreadData {
  /** URL of the file whose default export answers its tasks. */
  readonly file: string;
  /** Memory for prepared plans. */
  readonly planBytes: number;
}

/** The thread has not begun the task. It may still be starting. */
export const NOT_STARTED = -1;
/** The thread loads and prepares. No row has begun. */
export const PREPARING = -2;
/** The index of the second counter. */
export const BEAT = 1;
/** The index of the kernel's number of the thread. */
export const KERNEL_ID = 2;
/** The numbers that a thread publishes. */
export const PROGRESS_LENGTH = 3;

/** A block for the store. */
export interface PackedResults {
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** The records for the audit, if requested. */
  readonly audit?: AuditBlock;
}

export interface ChunkAnswer {
  /** Whole lines, one per row, in order, or the block for the store if the task asks for it. */
  readonly bytes: Uint8Array;
  /** Set: `bytes` is a block, and this is its digest. */
  readonly digest?: string;
  /** The records for the audit, if requested. */
  readonly audit?: AuditBlock;
  readonly tally: Tally;
  /** The plans that the answering thread caches. */
  readonly plans?: PlanUse;
  /** The keys of the rows in order, see row-key.ts, if requested. */
  readonly keys?: Uint8Array;
  /** The number of rows whose known result was used. */
  readonly reused: number;
}

/** Facts about the accepted model and policy of a batch. */
export interface TriedPlan {
  readonly features: readonly HeaderFeature[];
  /** The choices that the policy leaves open. */
  readonly defaults: Defaults;
}

export interface OpenedSide {
  readonly policy: Policy;
  readonly rows?: { readonly layout: RowLayout; readonly bytes: Uint8Array };
}

export interface RowTime {
  readonly msPerRow: number;
}

interface Answers extends Record<ChunkTask['kind'], ChunkAnswer> {
  readonly pack: SharedModel;
  readonly graphs: SharedGraphs;
  readonly admit: AdmittedModel | AdmittedPolicy;
  readonly block: PackedResults;
  readonly try: TriedPlan;
  readonly time: RowTime;
  readonly read: ReadEvent;
  readonly compare: Comparison;
  /** Faults in words. */
  readonly offers: OfferCheck;
  readonly population: ModelPopulation;
  readonly letter: { readonly text: string };
  readonly check: readonly PlacedFault[];
  readonly side: OpenedSide;
  /** The bytes of the comparison document. */
  readonly pair: Uint8Array;
}

/** The reply of a thread. */
export type ThreadReply<T extends Task = Task> = { readonly answer: AnswerTo<T> } | { readonly refusal: Refusal };

export type AnswerTo<T extends Task> = Answers[T['kind']];

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string;
  readonly faults: readonly PlacedFault[];
}
