/** The messages between the main thread and a thread that reads, writes or summarises a table. One request is under way at a time. */
import type { Policy } from '../../policy/policy.js';
import type { SummaryOptions } from '../../report/summary/summary-collector.js';
import type { HeaderFeature, Refusal, StoredDocument } from '../threads/messages.js';

/** A Parquet file becomes lines of NDJSON. The main thread holds the file open. */
export interface ReadTableWork {
  readonly kind: 'read';
  readonly file: { readonly fd: number; readonly bytes: number };
  readonly name: string;
  readonly features: readonly HeaderFeature[];
}

/** Lines of results become another format. */
export interface WriteTableWork {
  readonly kind: 'write';
  readonly format: 'brief' | 'csv' | 'parquet';
  readonly model: StoredDocument;
  readonly policy: Policy;
}

/** Lines of results become the bytes of one summary document. */
export interface SummaryWork {
  readonly kind: 'summarise';
  readonly options: SummaryOptions;
}

export type TableWork = ReadTableWork | WriteTableWork | SummaryWork;

/** `begin`: opens the file, or makes the header. `step`: the next lines, or the given results. `end`: the last bytes of the output. */
export interface TableRequest {
  readonly step: 'begin' | 'step' | 'end';
  /** Whole lines of NDJSON. */
  readonly results?: Uint8Array;
}

export interface TablePart {
  readonly bytes: Uint8Array;
  /** The input has no more rows. */
  readonly isEnd?: boolean;
  readonly warnings?: readonly string[];
}

export type TableReply = { readonly part: TablePart } | { readonly refusal: Refusal };
