/** A file of another library's predictions against a model: every row is compared, told to a table, and counted. */
import { ElsewiseError } from '../../documents/error.js';
import { faultsOf } from '../../documents/row-error.js';
import type { LoadedModel } from '../../models/load.js';
import { tableFile } from '../results/output-file.js';
import type { ByteSink } from '../rows/streams.js';
import type { TableOptions } from '../rows/table-format.js';
import { ParitySummary } from './parity-summary.js';
import { createParityTable } from './parity-table.js';
import { isPredicted, type PredictedRow, PredictedRows } from './predicted-rows.js';
import { ParityCheck } from './row-parity.js';
import { isAtSplit, splitValues } from './split-values.js';

export interface ParityOptions {
  readonly tolerance: number;
  readonly table: TableOptions;
  /** The file for a line per row. */
  readonly output: string | undefined;
}

export interface ParityResult {
  readonly summary: ParitySummary;
  readonly warnings: readonly string[];
}

export async function checkParity(path: string, model: LoadedModel, options: ParityOptions): Promise<ParityResult> {
  const file = await PredictedRows.open(path, model, options.table);
  const lines = options.output === undefined ? undefined : tableFile(options.output, createParityTable(model));
  const sink = await lines?.open();
  try {
    const summary = await compareAll(file, model, options.tolerance, sink, lines?.line);
    return { summary, warnings: file.warnings };
  } finally {
    await sink?.close();
  }
}

type Line = ReturnType<typeof tableFile<Parameters<ParitySummary['add']>[0]>>['line'];

async function compareAll(
  file: PredictedRows,
  model: LoadedModel,
  tolerance: number,
  sink: ByteSink | undefined,
  line: Line | undefined,
): Promise<ParitySummary> {
  const summary = new ParitySummary();
  const check = new ParityCheck(model, file.columns, tolerance);
  const splits = splitValues(model);
  let text = '';
  for await (const row of file.rows()) {
    const compared = compareRow(row, check, summary);
    if (!compared) continue;
    summary.add(compared, isAtSplit(compared.values, splits));
    if (line) text += line(compared);
    if (text.length > WRITE_AT) {
      await sink!.write(Buffer.from(text));
      text = '';
    }
  }
  if (text) await sink!.write(Buffer.from(text));
  if (summary.compared === 0 && summary.withoutPrediction > 0) throw file.withoutPredictions();
  return summary;
}

const WRITE_AT = 1 << 18;

function compareRow(row: PredictedRow, check: ParityCheck, summary: ParitySummary) {
  try {
    if (row.faults) summary.refuse(row.id, row.faults);
    else if (!isPredicted(row)) summary.withoutPrediction++;
    else return check.compare(row);
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    summary.refuse(row.id, faultsOf(error));
  }
  return undefined;
}
