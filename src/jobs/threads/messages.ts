/**
 * All messages between the main thread and the solver threads.
 *
 * A task is a run of whole input records as bytes. Its answer is a run of whole output lines as bytes. Parsing, solving and
 * formatting happen in the threads. The main thread finds line ends and moves buffers. Where the main thread has a document and no
 * model, a thread loads the model from the document.
 */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode } from '../../documents/error.js';
import type { SharedModelParts } from '../../models/load.js';
import type { SharedRowGraph } from '../../models/rows/row-graph.js';
import type { Policy } from '../../policy/policy.js';
import type { ScorerCode } from '../../scoring/failure-codes.js';
import type { ScoredModel } from '../../scoring/point-scorer.js';
import type { ResultBlock } from '../../store/codec/result-block.js';
import type { AdmittedModel } from '../../store/registry/model-store.js';
import type { EventForm, ReadEvent } from '../events/read-event.js';
import type { Tally } from '../results/tally.js';
import type { PlanUse } from './plan-memory.js';

/** Where the fields of a record are: decided once, from the header, on the main thread. */
export type RowLayout = NdjsonLayout | CsvLayout;

export interface NdjsonLayout {
  readonly format: 'ndjson';
}

export interface CsvLayout {
  readonly format: 'csv';
  readonly delimiter: string;
  /** How many fields a record has. */
  readonly columns: number;
  /** Column of each feature of the model, in the model's order; -1: the file has none and the model imputes it. */
  readonly featureColumns: readonly number[];
  /** -1: none; rows are numbered. */
  readonly idColumn: number;
  /** -1: none. */
  readonly targetColumn: number;
}

/** What a header is read against: the features of the model in its order, and which of them it can do without. */
export interface HeaderFeature {
  readonly name: string;
  readonly isImputed: boolean;
}

export type OutputFormat = 'ndjson' | 'csv';

/** UTF-8 JSON in memory that all threads share. */
export type SharedJson = SharedArrayBuffer;

/** A packed model: its parts are in shared memory as they are, the rest of it as JSON. */
export interface SharedModel {
  readonly rest: SharedJson;
  readonly parts: SharedModelParts;
  /** Of a model that is scored elsewhere: what its scorer has to know. */
  readonly scored: ScoredModel | null;
}

/** Graphs over the background rows, in shared memory, by the keys of what they are built for. */
export type SharedGraphs = readonly (readonly [string, SharedRowGraph])[];

/** Why rows are answered without being solved: their thread did not survive them, or the solver threw. */
export interface RowLoss {
  readonly code: 'overran' | 'thread-lost' | 'failed' | ScorerCode;
  readonly message: string;
}

/** Where results are known from: a chunk as it is stored, or the answer to an event. */
export type KnownSource = ResultBlock | { readonly answer: string };

/** Results that are known from earlier, and for each row which line of which source (-1: none). */
export interface KnownResults {
  readonly sources: readonly KnownSource[];
  readonly source: Int32Array;
  readonly line: Int32Array;
}

export interface ChunkTask {
  /** `keys`: only says what the rows are, see row-key.ts. */
  readonly kind: 'explain' | 'predict' | 'keys';
  /** Threads keep what they prepared under this key: the same key must mean the same model and policy. */
  readonly planKey: string;
  readonly model: SharedModel;
  /** Left out for `predict`. */
  readonly policy?: SharedJson;
  /** Of a policy that asks for paths. */
  readonly graphs?: SharedGraphs;
  readonly layout: RowLayout;
  readonly output: OutputFormat;
  /** Whole records, as they stand in the input. */
  readonly bytes: Uint8Array;
  /** Number of the first record in the input, counted from 1. */
  readonly firstRow: number;
  /** How many records there are in `bytes`. */
  readonly rows: number;
  /** Set: every row is answered with it, and nothing is solved. */
  readonly loss?: RowLoss;
  /** Rows that need not be solved. */
  readonly known?: KnownResults;
  /** The answer comes with the rows' keys. */
  readonly isKeyed?: boolean;
  /** The answer comes as a block for the store. */
  readonly isPacked?: boolean;
}

/** A document of the registry. */
export interface StoredDocument {
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly version: number;
}

/** A stored document that a thread is to load and to pack, for all threads. */
export interface PackTask extends StoredDocument {
  readonly kind: 'pack';
}

/** A model and a policy that asks for paths: a thread builds the graphs, for all threads. */
export interface GraphTask extends Required<Pick<ChunkTask, 'model' | 'policy'>> {
  readonly kind: 'graphs';
}

/** An untrusted document, to be checked and made ready for the registry. */
export interface AdmitTask {
  readonly kind: 'admit';
  readonly bytes: Uint8Array;
  readonly maxDocumentMb: number;
}

/** Lines of results that a thread is to make a block of, for the store. */
export interface BlockTask {
  readonly kind: 'block';
  readonly bytes: Uint8Array;
}

/** A stored model and the policy of a new batch: a thread prepares them and keeps the plan for `TimeTask`. */
export interface TryTask extends StoredDocument {
  readonly kind: 'try';
  readonly policy: Policy;
}

/** Rows that are to be timed with what the thread has tried. */
export interface TimeTask extends Pick<ChunkTask, 'layout' | 'bytes' | 'firstRow'> {
  readonly kind: 'time';
}

/** An event that is too long to be read on the main loop. */
export interface ReadTask {
  readonly kind: 'read';
  readonly bytes: Uint8Array;
  readonly form: EventForm;
}

export type DocumentTask = PackTask | GraphTask | AdmitTask | TryTask | ReadTask | BlockTask;
export type Task = ChunkTask | DocumentTask | TimeTask;

/**
 * A task on its way to a thread. The first counter holds how many rows are done, and is below zero until the plan is ready. The second
 * counter moves while rows wait for their scorer.
 */
export type ThreadTask<T extends Task = Task> = T & {
  readonly progress: Int32Array;
  /** To the thread that asks scorers, for a model that is scored over the network. */
  readonly scorerPort?: MessagePort;
  /** To the main thread, which counts what the thread scores by itself. */
  readonly newsPort?: MessagePort;
};
/** What a thread is told when it starts. */
export interface ThreadData {
  /** URL of the file whose default export answers its tasks. */
  readonly file: string;
  /** Of prepared plans that it may keep. */
  readonly planBytes: number;
}

/** The thread has yet to begin with the task: it may be starting itself. */
export const NOT_STARTED = -1;
/** It loads and prepares; no row has been begun. */
export const PREPARING = -2;
/** The place of the second counter. */
export const BEAT = 1;

/** A block for the store. */
export interface PackedResults {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

export interface ChunkAnswer {
  /** Whole lines, one per row, in order; or the block for the store, if the task asks for it. */
  readonly bytes: Uint8Array;
  /** Set: `bytes` are a block, and this is its digest. */
  readonly digest?: string;
  readonly tally: Tally;
  /** What the thread that answered keeps prepared. */
  readonly plans?: PlanUse;
  /** Of the rows one after the other, see row-key.ts, when asked for. */
  readonly keys?: Uint8Array;
  /** Rows whose known result was taken. */
  readonly reused: number;
}

/** Facts about the accepted model and policy of a batch. */
export interface TriedPlan {
  readonly features: readonly HeaderFeature[];
}

export interface RowTime {
  readonly msPerRow: number;
}

interface Answers extends Record<ChunkTask['kind'], ChunkAnswer> {
  readonly pack: SharedModel;
  readonly graphs: SharedGraphs;
  readonly admit: AdmittedModel;
  readonly block: PackedResults;
  readonly try: TriedPlan;
  readonly time: RowTime;
  readonly read: ReadEvent;
}

/** What a thread sends back. */
export type ThreadReply<T extends Task = Task> = { readonly answer: AnswerTo<T> } | { readonly refusal: Refusal };

export type AnswerTo<T extends Task> = Answers[T['kind']];

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string;
}
