/**
 * Tables as Parquet. Lines of cells (JSON lists) are collected into columns, and a row group is written when it is full: memory does not grow
 * with the rows. `close` writes the index at the end of the file, also after an interruption: the rows that are finished can be read.
 */
import type { SchemaElement } from 'hyparquet';
import type { ParquetWriter } from 'hyparquet-writer';
import type { RowValue } from '../../documents/model-document.js';
import type { ByteSink } from '../rows/streams.js';
import type { CellType, TableColumn } from './result-table.js';

const ROWS_PER_GROUP = 20_000;

const ELEMENTS: Readonly<Record<CellType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
};

type Cell = RowValue | bigint;

const CONVERT: Readonly<Record<CellType, (value: RowValue) => Cell>> = {
  text: (value) => (value === null ? null : String(value)),
  integer: (value) => (value === null ? null : BigInt(value)),
  number: (value) => value,
  boolean: (value) => value,
};

export class ParquetSink implements ByteSink {
  readonly #sink: ByteSink;
  readonly #columns: readonly TableColumn[];
  readonly #file: GrowingFile;
  #data: Cell[][];
  #isBroken = false;

  static async open(sink: ByteSink, columns: readonly TableColumn[]): Promise<ParquetSink> {
    const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
    const bytes = new ByteWriter();
    const schema = [
      { name: 'schema', num_children: columns.length },
      ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...ELEMENTS[type] })),
    ];
    const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'elsewise' });
    return new ParquetSink(sink, columns, { bytes, writer });
  }

  private constructor(sink: ByteSink, columns: readonly TableColumn[], file: GrowingFile) {
    this.#sink = sink;
    this.#columns = columns;
    this.#file = file;
    this.#data = columns.map(() => []);
  }

  /** Whole lines of cells. */
  async write(lines: Uint8Array): Promise<void> {
    if (lines.length === 0) return;
    for (const line of Buffer.from(lines).toString('utf8').trimEnd().split('\n')) this.#add(JSON.parse(line));
    if (this.#data[0].length >= ROWS_PER_GROUP) await this.#writeGroup();
  }

  async close(): Promise<void> {
    try {
      if (this.#isBroken) return;
      if (this.#data[0].length > 0) await this.#writeGroup();
      this.#file.writer.finish();
      await this.#flush();
    } finally {
      await this.#sink.close();
    }
  }

  #add(cells: RowValue[]): void {
    for (let c = 0; c < this.#columns.length; c++) this.#data[c].push(CONVERT[this.#columns[c].type](cells[c]));
  }

  async #writeGroup(): Promise<void> {
    const columnData = this.#columns.map(({ name }, c) => ({ name, data: this.#data[c] }));
    this.#file.writer.write({ columnData, rowGroupSize: columnData[0].data.length });
    this.#data = this.#columns.map(() => []);
    await this.#flush();
  }

  /** After a failed write, for example on a full disk, nothing more is written. */
  async #flush(): Promise<void> {
    const { bytes } = this.#file;
    const written = bytes.getBytes().slice();
    bytes.index = 0;
    await this.#sink.write(written).catch((error) => {
      this.#isBroken = true;
      throw error;
    });
  }
}

interface GrowingFile {
  readonly bytes: { index: number; getBytes(): Uint8Array };
  readonly writer: ParquetWriter;
}
