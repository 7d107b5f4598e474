/**
 * NDJSON rows: `{"id", "features": {...}, "target"}`, or a flat object of features. In a flat object `id` and `target` belong to the row
 * unless the model has features of these names. Only own properties are read, by the names of the model's features, so keys such as
 * `__proto__` have no effect.
 */
import type { RowValue } from '../../documents/model-document.js';
import type { RowFault } from '../../documents/row-error.js';
import type { LoadedModel } from '../../models/load.js';
import { recordFaults } from '../../models/read-row.js';
import { createRow, numberedId, type ParsedRow, type RowParser } from './row.js';

type JsonObject = Record<string, unknown>;

export function createNdjsonParser(model: LoadedModel): RowParser {
  const row = createRow(model);
  return (record, rowNumber) => {
    row.id = numberedId(rowNumber);
    row.target = undefined;
    row.faults = undefined;
    try {
      const value: unknown = JSON.parse(record);
      row.faults = isObject(value) ? fillRow(row, value, model) : [{ path: 'row', message: 'expected a JSON object' }];
    } catch (error) {
      row.faults = [{ path: 'row', message: `not valid JSON: ${(error as Error).message}` }];
    }
    return row;
  };
}

/** The names of the features of a record, in its order. None: it is no record. */
export function rowNames(record: string): string[] {
  try {
    const value: unknown = JSON.parse(record);
    const nested = isObject(value) ? own(value, 'features') : undefined;
    return isObject(nested) ? Object.keys(nested) : isObject(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

function fillRow(row: ParsedRow, value: JsonObject, model: LoadedModel): RowFault[] | undefined {
  const nested = own(value, 'features');
  const isNested = isObject(nested);
  const features = isNested ? nested : value;
  const special = (key: string) => (isNested || !model.space.byName.has(key) ? own(value, key) : undefined);
  for (const { name, index } of model.space.features) row.raw[index] = own(features, name) as RowValue | undefined;
  row.target = special('target') ?? undefined;
  const id = special('id') ?? row.id;
  if (typeof id !== 'string' && typeof id !== 'number')
    return [{ path: 'id', message: 'expected a text or a number' }, ...recordFaults(model, row.raw)];
  row.id = String(id);
  return undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
