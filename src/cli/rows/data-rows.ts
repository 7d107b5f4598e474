/** Rows of a file for commands that look at all of them at once, as values by feature. The first rows are enough. */
import { ElsewiseError } from '../../documents/error.js';
import { faultsInWords, faultsOf, type RowFault } from '../../documents/row-error.js';
import { headerFeatures } from '../../jobs/rows/csv.js';
import { createRowReader } from '../../jobs/rows/row-reader.js';
import { RowSource } from '../../jobs/rows/row-source.js';
import { openSource } from '../../jobs/rows/streams.js';
import type { TableOptions } from '../../jobs/rows/table-format.js';
import type { LoadedModel } from '../../models/load.js';
import { readRecord } from '../../models/read-row.js';
import { formatNumber } from '../../report/numbers.js';

export interface DataRow {
  readonly id: string;
  readonly values: Float64Array;
}

export interface DataRows {
  readonly rows: readonly DataRow[];
  /** The name of the file. */
  readonly name: string;
  readonly warnings: readonly string[];
  readonly targetColumn: RowSource['targetColumn'];
}

const MOST_ROWS = 100_000;
const ROWS_AT_ONCE = 5000;

/** Rows that do not fit the model are left out. Throws if none fits. */
export async function readDataRows(path: string, model: LoadedModel, table: TableOptions = {}): Promise<DataRows> {
  const { name, bytes } = await openSource(path);
  const source = await RowSource.open(bytes, name, headerFeatures(model), table);
  const reader = createRowReader(source.layout, model, 'values');
  const rows: DataRow[] = [];
  let faults = 0;
  let firstFault = '';
  for (
    let chunk = await source.take(ROWS_AT_ONCE);
    chunk && rows.length < MOST_ROWS;
    chunk = await source.take(ROWS_AT_ONCE)
  ) {
    for (const row of reader(chunk.bytes, chunk.firstRow)) {
      const values = new Float64Array(model.space.features.length);
      const found = row.faults ?? readFaults(() => readRecord(model, row.raw, values));
      if (!found) rows.push({ id: row.id, values });
      else if (faults++ === 0) firstFault = `${row.id}: ${faultsInWords(found)}`;
    }
  }
  await source.close();
  if (!rows.length)
    throw new ElsewiseError('bad-input', firstFault ? `no row fits the model; ${firstFault}` : 'has no rows', name);
  const left = faults
    ? [
        `${faults === 1 ? '1 row does not fit the model and is' : `${formatNumber(faults)} rows do not fit the model and are`} left out; the first: ${firstFault}`,
      ]
    : [];
  const cut = rows.length >= MOST_ROWS ? [`only the first ${formatNumber(rows.length)} rows are read`] : [];
  return { rows, name, warnings: [...source.warnings, ...left, ...cut], targetColumn: source.targetColumn };
}

function readFaults(read: () => void): readonly RowFault[] | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    return faultsOf(error);
  }
}
