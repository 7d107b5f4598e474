/** The output of a run by the ending of its name: the lines that threads write, and the sink that takes them. */
import { ElsewiseError } from '../../documents/error.js';
import type { ResultDetail } from '../../explain/result.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import type { BulkOutput } from '../bulk/bulk.js';
import { outputFormat } from '../rows/endings.js';
import { type ByteSink, openSink } from '../rows/streams.js';
import type { OutputFormat } from '../threads/messages.js';
import { ParquetSink } from './parquet-sink.js';
import { createPredictionTable } from './prediction-table.js';
import { createPredictionWriter, createResultWriter, createTableWriter } from './result-lines.js';
import { createResultTable, type Table, type TableColumn, tableLayout } from './result-table.js';

const LINES = { ndjson: 'ndjson', csv: 'csv', parquet: 'cells' } as const;

/** The format of the lines for a file. An unknown ending is refused. */
export function lineFormat(path: string, detail: ResultDetail = 'full'): OutputFormat {
  const format = LINES[outputFormat(path)];
  if (detail === 'full') return format;
  if (format !== 'ndjson') throw new ElsewiseError('usage', '--detail brief is for NDJSON (.ndjson, .jsonl or -)');
  return 'brief';
}

export function resultFile(path: string, model: LoadedModel, policy: Policy, detail?: ResultDetail): BulkOutput {
  const { columns } = createResultTable(tableLayout(model, policy));
  const format = lineFormat(path, detail);
  return fileOf(path, format, createResultWriter(format, model, policy).header, columns);
}

export function predictionFile(path: string, model: LoadedModel): BulkOutput {
  const format = lineFormat(path);
  const { columns } = createPredictionTable(model);
  return fileOf(path, format, createPredictionWriter(format, model).header, columns);
}

/** A table of other rows by the ending of its name. */
export function tableFile<T>(path: string, table: Table<T>): { open(): Promise<ByteSink>; line(answer: T): string } {
  const format = lineFormat(path);
  const { header, line } = createTableWriter(format, table);
  const file = fileOf(path, format, header, table.columns);
  return {
    line,
    async open() {
      const sink = await file.open(0);
      if (header) await sink.write(Buffer.from(header));
      return sink;
    },
  };
}

function fileOf(path: string, format: OutputFormat, header: string, columns: readonly TableColumn[]): BulkOutput {
  return {
    format,
    header,
    async open(keepBytes) {
      const sink = await openSink(path, keepBytes);
      return format === 'cells' ? ParquetSink.open(sink, columns) : sink;
    },
  };
}

/** An interrupted Parquet file has its index already, behind which no row can follow. */
export function refuseResume(path: string): void {
  if (path === '-') throw new ElsewiseError('usage', '--resume needs an output file');
  if (outputFormat(path) === 'parquet')
    throw new ElsewiseError('usage', '--resume needs an output of NDJSON or CSV: a Parquet file cannot be continued');
}
