/** The rows of a file for an imported model: they tell names, types and categories of its features, and statistics of the background. */
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import type { ModelDocument, RowValue } from '../../documents/model-document.js';
import { describeAdditive } from '../../formats/additive-features.js';
import { type Columns, describeTreeFeatures } from '../../formats/described-features.js';
import { isNameless, nameByHeader } from '../../formats/feature-names.js';
import { isOpen, nameWords } from '../../formats/one-hot-words.js';
import { headerFeatures } from '../../jobs/rows/csv.js';
import { createRowReader } from '../../jobs/rows/row-reader.js';
import { RowSource } from '../../jobs/rows/row-source.js';
import { openSource } from '../../jobs/rows/streams.js';
import type { TableOptions } from '../../jobs/rows/table-format.js';
import { statisticsOf } from '../../models/background.js';
import { isMissing, showValue } from '../../models/features.js';
import { type LoadedModel, loadModel } from '../../models/load.js';
import { readDataRows } from './data-rows.js';

export interface DescribedModel {
  readonly document: ModelDocument;
  /** What was concluded from the file and is worth a look. */
  readonly notes: readonly string[];
}

const ROWS_AT_ONCE = 5000;
const MOST_ROWS = 100_000;

/** `rows`: how many rows the document keeps. By default it keeps statistics only. The file is read three times. */
export async function describeByFile(
  imported: ModelDocument,
  path: string,
  rows: number,
  table: TableOptions,
): Promise<DescribedModel> {
  if (path === '-') throw new ElsewiseError('usage', '--background: give a file, standard input cannot be read again');
  const named = await nameByFile(imported, path, table);
  const columns = await readColumns(path, load(named), table);
  const worded = nameWords(named, wordsOf(named, columns));
  const describeFeatures = worded.family === 'additive' ? describeAdditive : describeTreeFeatures;
  const { features, sorted } = describeFeatures(worded, columns);
  const document = { ...worded, features };
  const model = load(document);
  const data = await readDataRows(path, model, table);
  const values = data.rows.map((row) => row.values);
  const background = { ...statisticsOf(values, model.space), ...(rows ? samplesOf(model, values, rows) : {}) };
  const notes = [
    ...(isNameless(imported) && !isNameless(named)
      ? ['the model has no names of features: the header names them in order']
      : []),
    ...sorted.map(
      (name) => `categories of ${name}: the codes 0, 1, ... are the sorted texts of the file, as pandas numbers them`,
    ),
    ...data.warnings,
  ];
  return { document: { ...document, background }, notes };
}

const load = (document: ModelDocument): LoadedModel => loadModel(document, { bounds: config.bounds });

/** By open feature: the words of its column. */
function wordsOf({ features }: ModelDocument, columns: Columns): Record<string, string[]> {
  const open = features.flatMap((feature, f) => (isOpen(feature) ? [{ name: feature.name, f }] : []));
  return Object.fromEntries(
    open.map(({ name, f }) => {
      const words = columns[f].filter((value) => !isMissing(value)).map((value) => String(value).trim());
      return [name, [...new Set(words)].sort()];
    }),
  );
}

async function nameByFile(document: ModelDocument, path: string, table: TableOptions): Promise<ModelDocument> {
  const { name, bytes } = await openSource(path);
  const header = await RowSource.columnNames(bytes, name, table);
  if (header) return nameByHeader(document, header, name);
  if (!isNameless(document)) return document;
  throw new ElsewiseError('bad-input', 'the model has no names of features: name them by --features a,b,...', name);
}

async function readColumns(path: string, model: LoadedModel, table: TableOptions): Promise<Columns> {
  const { name, bytes } = await openSource(path);
  const source = await RowSource.open(bytes, name, headerFeatures(model), table);
  const read = createRowReader(source.layout, model);
  const columns: (RowValue | undefined)[][] = model.space.features.map(() => []);
  let count = 0;
  for (
    let chunk = await source.take(ROWS_AT_ONCE);
    chunk && count < MOST_ROWS;
    chunk = await source.take(ROWS_AT_ONCE)
  ) {
    for (const row of read(chunk.bytes, chunk.firstRow)) {
      count++;
      if (!row.faults) for (const [f, value] of row.raw.entries()) columns[f].push(isMissing(value) ? null : value);
    }
  }
  return columns;
}

/** Rows at equal distances in the file, with the model's predictions for them. */
function samplesOf(model: LoadedModel, rows: readonly Float64Array[], count: number) {
  const kept = Math.min(count, rows.length);
  const chosen = Array.from({ length: kept }, (_, i) => rows[Math.floor((i * rows.length) / kept)]);
  const shown = chosen.map((values) =>
    model.space.features.map((feature) => showValue(feature, values[feature.index])),
  );
  const labels = shown.map(
    (row) => model.predict(Object.fromEntries(model.space.features.map(({ name }, f) => [name, row[f]]))).prediction,
  );
  return { samples: shown, labels };
}
