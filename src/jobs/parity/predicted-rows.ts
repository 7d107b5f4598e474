/**
 * Rows with the predictions of another library: CSV, NDJSON or Parquet. The columns of predictions are read as further features that every row
 * may lack. An NDJSON row may also be {"id", "features": {...}, "prediction", "scores": {class: score}}, as `predict` writes scores.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { RowValue } from '../../documents/model-document.js';
import type { RowFault } from '../../documents/row-error.js';
import { isMissing, layOutFeatures } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';
import { headerFeatures } from '../rows/csv.js';
import { recordsOf } from '../rows/records.js';
import { numberedId } from '../rows/row.js';
import { createRowReader } from '../rows/row-reader.js';
import { type Chunk, RowSource } from '../rows/row-source.js';
import { openSource } from '../rows/streams.js';
import type { TableOptions } from '../rows/table-format.js';
import { expectedColumns, type PredictedColumn, predictedColumns, refuseRepeated } from './prediction-columns.js';

type RawValue = RowValue | undefined;

export interface PredictedRow {
  readonly id: string;
  /** In the order of the model's features. */
  readonly raw: readonly RawValue[];
  /** In the order of the columns of predictions. */
  readonly predicted: readonly RawValue[];
  readonly faults: readonly RowFault[] | undefined;
}

const ROWS_AT_ONCE = 5000;

export class PredictedRows {
  private constructor(
    private readonly source: RowSource,
    private readonly model: LoadedModel,
    readonly name: string,
    /** The columns that the file may have. */
    readonly columns: readonly PredictedColumn[],
    readonly warnings: readonly string[],
  ) {}

  static async open(path: string, model: LoadedModel, table: TableOptions): Promise<PredictedRows> {
    const { name, bytes } = await openSource(path);
    const columns = predictedColumns(model);
    const further = columns.map(({ name, part }) => {
      const numbers = part.kind === 'score' ? ('any' as const) : ('none' as const);
      return { name, numbers, isImputed: true };
    });
    const source = await RowSource.open(bytes, name, [...headerFeatures(model), ...further], table);
    const warnings = source.warnings.filter((text) => !/imputed:/.test(text));
    const rows = new PredictedRows(source, model, name, columns, warnings);
    if (source.layout.format === 'csv') rows.checkHeader(source.layout.featureColumns);
    return rows;
  }

  private checkHeader(places: readonly number[]): void {
    const first = this.model.space.features.length;
    const found = this.columns.filter((_, k) => places[first + k] >= 0);
    if (!found.length) throw this.withoutPredictions();
    refuseRepeated(found, this.name);
  }

  withoutPredictions(): ElsewiseError {
    const hint = this.warnings.map((text) => `; ${text}`).join('');
    const message = `has no predictions to compare with: expected the column ${expectedColumns(this.model)}${hint}`;
    return new ElsewiseError('bad-input', message, this.name);
  }

  async *rows(): AsyncGenerator<PredictedRow> {
    const read = this.source.layout.format === 'csv' ? this.csvReader() : this.jsonReader();
    try {
      for (let chunk = await this.source.take(ROWS_AT_ONCE); chunk; chunk = await this.source.take(ROWS_AT_ONCE))
        yield* read(chunk);
    } finally {
      await this.source.close();
    }
  }

  private csvReader(): (chunk: Chunk) => Generator<PredictedRow> {
    const { model, columns } = this;
    const labels = columns.map(({ name }) => ({ name, type: 'continuous' as const }));
    const wide = { ...model, space: layOutFeatures([...model.document.features, ...labels]) };
    const read = createRowReader(this.source.layout, wide);
    const own = model.space.features.length;
    return function* (chunk) {
      for (const { id, raw, faults } of read(chunk.bytes, chunk.firstRow))
        yield { id, raw: raw.slice(0, own), predicted: raw.slice(own), faults };
    };
  }

  private jsonReader(): (chunk: Chunk) => Generator<PredictedRow> {
    const { model, columns, source } = this;
    const names = model.space.features.map(({ name }) => name);
    return function* (chunk) {
      let number = chunk.firstRow;
      for (const { start, end } of recordsOf(chunk.bytes, source.layout)) {
        const flat = flatRow(chunk.bytes.toString('utf8', start, end));
        const id = String(flat?.get('id') ?? numberedId(number));
        const faults = flat ? undefined : [{ path: 'row', message: 'expected a JSON object' }];
        const take = (name: string) => flat?.get(name) as RawValue;
        yield { id, raw: names.map(take), predicted: columns.map(({ name }) => take(name)), faults };
        number++;
      }
    };
  }
}

/** The keys of a row. Features win over keys beside them. Undefined: the line is no object. */
function flatRow(line: string): Map<string, unknown> | undefined {
  const row = parsed(line);
  if (!row) return undefined;
  const { features, scores, ...rest } = row;
  const byClass = isObject(scores)
    ? Object.entries(scores).map(([label, score]) => [`score ${label}`, score] as const)
    : [];
  const own = isObject(features) ? Object.entries(features) : [['features', features] as const];
  return new Map([...Object.entries(rest), ['scores', scores], ...byClass, ...own]);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a row has any prediction. */
export const isPredicted = ({ predicted }: PredictedRow): boolean => predicted.some((value) => !isMissing(value));
