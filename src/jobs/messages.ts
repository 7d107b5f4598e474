/**
 * What the main thread and the solver threads say to each other, all of it.
 *
 * A task is a run of whole input records as bytes; its answer is a run of whole output lines as bytes. So parsing,
 * solving and formatting all happen in the threads, and the main thread only finds line ends and moves buffers.
 */
import type { ErrorCode } from '../documents/error.js';
import type { Tally } from './tally.js';

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

export type OutputFormat = 'ndjson' | 'csv';

/** What a thread needs to prepare a plan; travels as UTF-8 JSON in memory that all threads share. */
export interface PlanDocuments {
  readonly model: unknown;
  /** Left out for `predict`. */
  readonly policy?: unknown;
  readonly version: number | null;
}

/** Why rows are answered without being solved: their thread did not survive them, or the solver threw. */
export interface RowLoss {
  readonly code: 'overran' | 'thread-lost' | 'failed';
  readonly message: string;
}

/** Lines that are known from earlier: blocks as they are stored, and for each row which line of which (-1: none). */
export interface KnownLines {
  readonly blocks: readonly { readonly data: Uint8Array; readonly digest: string }[];
  readonly block: Int32Array;
  readonly line: Int32Array;
}

export interface ChunkTask {
  /** `keys`: only says what the rows are, see row-key.ts. */
  readonly kind: 'explain' | 'predict' | 'keys';
  /** Threads keep what they prepared under this key: the same key must mean the same documents. */
  readonly planKey: string;
  readonly documents: SharedArrayBuffer;
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
  readonly known?: KnownLines;
  /** The answer comes with the rows' keys. */
  readonly isKeyed?: boolean;
  /** The answer comes as a block for the store. */
  readonly isPacked?: boolean;
}

/** A task on its way to a thread. The counter holds how many rows are done; NOT_STARTED until the plan is ready. */
export interface ThreadTask extends ChunkTask {
  readonly progress: Int32Array;
}

export const NOT_STARTED = -1;

export interface ChunkAnswer {
  /** Whole lines, one per row, in order; or the block that they are packed into. */
  readonly bytes: Uint8Array;
  /** Set: `bytes` are packed, and this is the digest of the lines. */
  readonly digest?: string;
  readonly tally: Tally;
  /** Of the rows one after the other, see row-key.ts, when asked for. */
  readonly keys?: Uint8Array;
  /** Rows whose known line was taken. */
  readonly reused: number;
}

/** What a thread sends back. A coded error would lose its code on the way between threads, so it travels as data. */
export type ThreadReply = { readonly answer: ChunkAnswer } | { readonly refusal: Refusal };

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string;
}
