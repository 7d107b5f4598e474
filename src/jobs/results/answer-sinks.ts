/** Collects the answers to the rows of a chunk, in order. The result has its own memory, which can be transferred. */
import type { ResultDocument } from '../../documents/result-document.js';
import { AuditRecords } from '../../store/audit/audit-record.js';
import { LineBuffer } from '../../store/codec/line-buffer.js';
import { packColumns } from '../../store/codec/result-block.js';
import { ResultColumns } from '../../store/codec/result-columns.js';
import { lineOf } from '../../store/codec/result-line.js';
import { ResultRow } from '../../store/codec/result-row.js';
import type { ChunkAnswer } from '../threads/messages.js';

export interface AnswerSink {
  /** An answer of the thread, or a known result. */
  push(answer: unknown): void;
  finish(): Pick<ChunkAnswer, 'bytes' | 'digest' | 'audit'>;
}

/** Lines of text, for files and for events. */
export class LineSink implements AnswerSink {
  readonly #lines: LineBuffer;
  readonly #line: (answer: unknown) => string;

  constructor(expectedBytes: number, line: (answer: unknown) => string) {
    this.#lines = new LineBuffer(expectedBytes);
    this.#line = line;
  }

  push(answer: unknown): void {
    this.#lines.push(answer instanceof ResultRow ? `${lineOf(answer)}\n` : this.#line(answer));
  }

  finish(): Pick<ChunkAnswer, 'bytes'> {
    return { bytes: this.#lines.bytes };
  }
}

/** A block for the store: results go into columns directly, without text in between. */
export class BlockSink implements AnswerSink {
  readonly #columns = new ResultColumns();
  readonly #records: AuditRecords | undefined;

  /** `isAudited`: with records for the audit. */
  constructor(isAudited = false) {
    this.#records = isAudited ? new AuditRecords() : undefined;
  }

  push(answer: unknown): void {
    const result = answer as ResultDocument | ResultRow;
    this.#columns.add(result);
    this.#records?.add(result instanceof ResultRow ? (JSON.parse(lineOf(result)) as ResultDocument) : result);
  }

  finish(): Pick<ChunkAnswer, 'bytes' | 'digest' | 'audit'> {
    const { data, digest } = packColumns(this.#columns);
    return { bytes: new Uint8Array(data), digest, ...(this.#records && { audit: this.#records.finish() }) };
  }
}
