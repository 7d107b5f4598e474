/**
 * THE TABLE of output formats: the answer to a row as text.
 *
 *   ndjson  the result document on one line
 *   brief   its changes on a short line, see brief-line.ts
 *   csv     the lines of result-table.ts: a line per answer
 *   cells   the same lines, each a JSON list of values, for Parquet
 */
import type { RowValue } from '../../documents/model-document.js';
import type { ResultDocument } from '../../documents/result-document.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import type { OutputFormat } from '../threads/messages.js';
import type { Prediction } from '../threads/predict.js';
import { createBriefWriter } from './brief-line.js';
import { csvLine } from './csv-lines.js';
import type { LineWriter } from './line-writer.js';
import { createPredictionTable } from './prediction-table.js';
import { createResultTable, type Table, tableLayout } from './result-table.js';

/** The same formats for predictions. */
export function createPredictionWriter(format: OutputFormat, model: LoadedModel): LineWriter<Prediction> {
  if (format === 'csv') return csvWriter(createPredictionTable(model));
  if (format === 'cells') return cellWriter(createPredictionTable(model));
  return { header: '', line: (prediction) => `${JSON.stringify(prediction)}\n` };
}

/** A table as lines. An NDJSON line is an object with the names of the columns. */
export function createTableWriter<T>(format: OutputFormat, table: Table<T>): LineWriter<T> {
  if (format === 'csv') return csvWriter(table);
  if (format === 'cells') return cellWriter(table);
  const object = (cells: RowValue[]) => Object.fromEntries(table.columns.map(({ name }, k) => [name, cells[k]]));
  return {
    header: '',
    line: (answer) =>
      table
        .lines(answer)
        .map((cells) => `${JSON.stringify(object(cells))}\n`)
        .join(''),
  };
}

export function createResultWriter(format: OutputFormat, model: LoadedModel, policy: Policy): LineWriter {
  return WRITERS[format](model, policy);
}

const BEFORE_ID = '{"schema":"elsewise.result/v1","id":';
/** The id, then the status, at the start of each of our NDJSON lines. */
const HEAD = /"(?:[^"\\]|\\.)*"(?=,"status":"([a-z-]+)")/y;

/** The NDJSON line for another row of the same content. */
export function withId(line: string, id: string): string {
  return `${BEFORE_ID}${JSON.stringify(id)}${line.slice(readHead(line).idEnd)}`;
}

/** The status of an NDJSON line, without parsing the rest. */
export function statusOf(line: string): ResultDocument['status'] {
  return readHead(line).status;
}

function readHead(line: string): { idEnd: number; status: ResultDocument['status'] } {
  HEAD.lastIndex = BEFORE_ID.length;
  const found = line.startsWith(BEFORE_ID) ? HEAD.exec(line) : null;
  if (!found) throw new Error('the line is no result');
  return { idEnd: BEFORE_ID.length + found[0].length, status: found[1] as ResultDocument['status'] };
}

const WRITERS: Readonly<Record<OutputFormat, (model: LoadedModel, policy: Policy) => LineWriter>> = {
  ndjson: () => ({ header: '', line: (result) => `${JSON.stringify(result)}\n` }),
  brief: createBriefWriter,
  csv: (model, policy) => csvWriter(createResultTable(tableLayout(model, policy))),
  cells: (model, policy) => cellWriter(createResultTable(tableLayout(model, policy))),
};

function csvWriter<T>(table: Table<T>): LineWriter<T> {
  return {
    header: csvLine(table.columns.map(({ name }) => name)),
    line: (answer) => table.lines(answer).map(csvLine).join(''),
  };
}

function cellWriter<T>(table: Table<T>): LineWriter<T> {
  const line = (answer: T) => table.lines(answer).map((cells) => `${JSON.stringify(cells)}\n`);
  return { header: '', line: (answer) => line(answer).join('') };
}
