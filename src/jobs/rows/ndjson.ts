/**
 * NDJSON rows: `{"id", "features": {...}, "target"}`, or a flat object of features. In a flat object `id` and `target` belong to the row
 * unless the model has features of these names. Only own properties are read, by the names of the model's features, so keys such as
 * `__proto__` have no effect.
 */
import type { RowValue } from '../../documents/model-document.js';
import { didYouMean, nameSome } from '../../documents/nearest-name.js';
import { joinPath } from '../../documents/parse.js';
import { findRepeatedKey, NAMED_TWICE } from '../../documents/repeated-key.js';
import type { RowFault } from '../../documents/row-error.js';
import type { LoadedModel } from '../../models/load.js';
import { recordFaults } from '../../models/read-row.js';
import type { HeaderFeature } from '../threads/messages.js';
import { ignoredNames } from './known-names.js';
import { createRow, numberedId, type ParsedRow, type RowParser, targetText } from './row.js';

type JsonObject = Record<string, unknown>;

export function createNdjsonParser(model: LoadedModel): RowParser {
  return createJsonParser(model, fillRow, repeatedKey);
}

/** The rows that results explain: the values and the target that a result repeats. This program has written them: no key is there twice. */
export function createResultRowParser(model: LoadedModel): RowParser {
  return createJsonParser(model, fillRowOfResult, () => undefined);
}

type Fill = (row: ParsedRow, value: JsonObject, model: LoadedModel) => RowFault[] | undefined;

type Check = (record: string, value: JsonObject) => RowFault[] | undefined;

function createJsonParser(model: LoadedModel, fill: Fill, check: Check): RowParser {
  const row = createRow(model);
  return (record, rowNumber) => {
    row.id = numberedId(rowNumber);
    row.target = undefined;
    row.faults = undefined;
    try {
      const value: unknown = JSON.parse(record);
      if (isObject(value)) {
        row.faults = fill(row, value, model);
        row.faults = check(record, value) ?? row.faults;
      } else row.faults = [{ path: 'row', message: 'expected a JSON object' }];
    } catch (error) {
      row.faults = [{ path: 'row', message: `not valid JSON: ${(error as Error).message}` }];
    }
    return row;
  };
}

/** The fault of a record with a key that is named twice. A record with no more colons than keys has none, and needs no further look. */
function repeatedKey(record: string, value: JsonObject): RowFault[] | undefined {
  const features = own(value, 'features');
  let left = Object.keys(value).length + (isObject(features) ? Object.keys(features).length : 0);
  for (let at = record.indexOf(':'); at >= 0 && left >= 0; at = record.indexOf(':', at + 1)) left--;
  const steps = left < 0 ? findRepeatedKey(record) : undefined;
  return steps && [{ path: joinPath('', steps), message: NAMED_TWICE }];
}

/** The names of the features of a record, in its order. None: it is no record. */
export function rowNames(record: string): string[] {
  const value = objectOf(record);
  const nested = value && own(value, 'features');
  return isObject(nested) ? Object.keys(nested) : value ? Object.keys(value) : [];
}

const ROW_KEYS: ReadonlySet<string> = new Set(['id', 'features', 'target']);
const FLAT_KEYS: ReadonlySet<string> = new Set(['id', 'target']);

/** Warnings about the keys of the first records: keys that are no features, and features that no record has. */
export function keyWarnings(records: Iterable<string>, features: readonly HeaderFeature[]): string[] {
  const absent = new Map(features.map((feature) => [feature.name, feature]));
  const known = new Set(absent.keys());
  const unknown = new Set<string>();
  let rows = 0;
  for (const record of records) {
    const value = objectOf(record);
    if (!value) continue;
    rows++;
    const nested = own(value, 'features');
    const [row, named, ofRow] = isObject(nested) ? [value, nested, ROW_KEYS] : [{}, value, FLAT_KEYS];
    for (const key of Object.keys(named)) {
      if (known.has(key)) absent.delete(key);
      else if (isObject(nested) || !ofRow.has(key)) unknown.add(key);
    }
    for (const key of Object.keys(row)) if (!ofRow.has(key)) unknown.add(key);
  }
  if (rows === 0) return [];
  const lacking = rows === 1 ? 'keys that the first row lacks' : `keys that none of the first ${rows} rows has`;
  const told = (isImputed: boolean, taken: string) => {
    const names = [...absent.values()].filter((feature) => feature.isImputed === isImputed).map(({ name }) => name);
    return names.length ? [`${lacking} are ${taken}: ${nameSome(names)}`] : [];
  };
  const ignored = ignoredNames('keys', [...unknown], [...absent.keys()]);
  return [...ignored, ...told(true, 'imputed'), ...told(false, 'missing')];
}

function objectOf(record: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(record);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The target of a flat record, in a list; undefined: the record names none, or has its features apart. */
export function flatTargets(record: string): string[] | undefined {
  const value = objectOf(record);
  if (!value || isObject(own(value, 'features'))) return undefined;
  const target = own(value, 'target') ?? undefined;
  return target === undefined ? undefined : [targetText(target)];
}

function fillRow(row: ParsedRow, value: JsonObject, model: LoadedModel): RowFault[] | undefined {
  const nested = own(value, 'features');
  const isNested = isObject(nested);
  const features = isNested ? nested : value;
  const special = (key: string) => (isNested || !model.space.byName.has(key) ? own(value, key) : undefined);
  let isComplete = true;
  for (const { name, index } of model.space.features) {
    const raw = own(features, name) as RowValue | undefined;
    row.raw[index] = raw;
    if (raw === undefined) isComplete = false;
  }
  row.target = special('target') ?? undefined;
  const id = special('id') ?? row.id;
  if (typeof id !== 'string' && typeof id !== 'number')
    return [{ path: 'id', message: 'expected a text or a number' }, ...recordFaults(model, row.raw)];
  row.id = String(id);
  return isComplete ? undefined : missingFaults(row, features, model);
}

/** The faults of a row that lacks a feature, where a key with a name that is no feature may be meant. */
function missingFaults({ raw }: ParsedRow, features: JsonObject, model: LoadedModel): RowFault[] | undefined {
  const { byName } = model.space;
  const unknown = Object.keys(features).filter((key) => !byName.has(key) && key !== 'id' && key !== 'target');
  if (!unknown.length) return undefined;
  const faults = recordFaults(model, raw).map(({ path, message }) => {
    const feature = byName.get(path.slice('features.'.length));
    const isLacking = feature !== undefined && raw[feature.index] === undefined;
    return { path, message: isLacking ? message + didYouMean(feature.name, unknown) : message };
  });
  return faults.length ? faults : undefined;
}

const NO_VALUES: RowFault[] = [{ path: 'factual', message: 'the result has no values of its row' }];

function fillRowOfResult(row: ParsedRow, result: JsonObject, model: LoadedModel): RowFault[] | undefined {
  const factual = own(result, 'factual');
  const { id, target } = result;
  if (typeof id === 'string') row.id = id;
  if (!isObject(factual)) return NO_VALUES;
  return fillRow(row, { id: row.id, features: own(factual, 'features') ?? {}, target }, model);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
