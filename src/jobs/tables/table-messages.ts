/** The messages between the main thread and a thread that reads, writes or summarises a table. One request is under way at a time. */
import type { PolicyDocument } from '../../documents/policy-document.js';
import type { Policy } from '../../policy/policy.js';
import type { ComparisonOptions } from '../../report/comparison/comparison-collector.js';
import type { ReportOptions } from '../../report/html/report-collector.js';
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

/** Lines of results become the bytes of a report as one HTML page. */
export interface ReportWork {
  readonly kind: 'report';
  readonly options: ReportOptions;
  readonly model: StoredDocument;
  readonly policy: Policy;
  /** The name of the results. */
  readonly source: string;
  readonly software: string;
  readonly created: Date;
}

/** Lines of results of a first side, and then of a second side, become the bytes of one comparison document. */
export interface ComparisonWork {
  readonly kind: 'compare';
  readonly options: ComparisonOptions;
  /** The policy of the first side. */
  readonly policy: PolicyDocument;
  /** More people are drawn by the seed. */
  readonly most: number;
}

export type TableWork = ReadTableWork | WriteTableWork | SummaryWork | ReportWork | ComparisonWork;

/**
 * `begin`: opens the file, or makes the header. `step`: the next lines, or the given results. `turn`: the first side is complete; the rows for
 * the second. `end`: the last bytes of the output.
 */
export interface TableRequest {
  readonly step: 'begin' | 'step' | 'turn' | 'end';
  /** Whole lines of NDJSON. */
  readonly results?: Uint8Array;
}

export interface TablePart {
  readonly bytes: Uint8Array;
  /** The input has no more rows. */
  readonly isEnd?: boolean;
  readonly warnings?: readonly string[] | null;
}

export type TableReply = { readonly part: TablePart } | { readonly refusal: Refusal };
