/**
 * Lists and records of documents. Zod collects every fault of a container before the first fault can be read. For a body of 0.8 MB with a
 * wrong type at every place this took seconds, and a longer body exhausted the stack. The containers here stop at the element with which
 * the number of faults suffices. They do not support recursive schemas: zod identifies those by their containers.
 *
 *   n elements, F faults that are enough, f of one element  ->  at most F - 1 + f faults are collected, for every n
 */
import { z } from 'zod';

/** The number of faults at which parsing stops: a few are shown, and further faults are not counted. */
export const ENOUGH_FAULTS = 20;

type Payload = z.core.ParsePayload;
type Context = z.core.ParseContextInternal;

export function listOf<T extends z.ZodType>(element: T): z.ZodArray<T> {
  return new BoundedList({ type: 'array', element }) as z.ZodArray<T>;
}

/** A record from text to values. */
export function recordOf<T extends z.ZodType>(valueType: T): z.ZodRecord<z.ZodString, T> {
  return new BoundedRecord({ type: 'record', keyType: z.string(), valueType }) as z.ZodRecord<z.ZodString, T>;
}

const BoundedList = z.core.$constructor<z.ZodArray, z.core.$ZodArrayDef>('BoundedList', (inst, def) => {
  z.ZodArray.init(inst, def);
  const parse = inst._zod.parse; // zod's own parser reports a value that is no list
  inst._zod.parse = (payload, context) =>
    Array.isArray(payload.value) ? parseList(def.element, payload, context) : parse(payload, context);
});

const BoundedRecord = z.core.$constructor<z.ZodRecord, z.core.$ZodRecordDef>('BoundedRecord', (inst, def) => {
  z.ZodRecord.init(inst, def);
  const parse = inst._zod.parse;
  inst._zod.parse = (payload, context) =>
    z.core.util.isPlainObject(payload.value) ? parseRecord(def.valueType, payload, context) : parse(payload, context);
});

function parseList(element: z.core.$ZodType, payload: Payload, context: Context): Payload {
  const list = payload.value as readonly unknown[];
  const parsed: unknown[] = Array(list.length);
  for (let i = 0; i < list.length && payload.issues.length < ENOUGH_FAULTS; i++)
    parsed[i] = parseElement(element, list[i], i, payload, context);
  payload.value = parsed;
  return payload;
}

/** A key that assignment would turn into the prototype is not copied. parseDocument refuses it. */
function parseRecord(valueType: z.core.$ZodType, payload: Payload, context: Context): Payload {
  const record = payload.value as Readonly<Record<string, unknown>>;
  const parsed: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    if (payload.issues.length >= ENOUGH_FAULTS) break;
    if (key !== '__proto__') parsed[key] = parseElement(valueType, record[key], key, payload, context);
  }
  payload.value = parsed;
  return payload;
}

function parseElement(
  schema: z.core.$ZodType,
  value: unknown,
  place: PropertyKey,
  { issues }: Payload,
  context: Context,
): unknown {
  const result = schema._zod.run({ value, issues: [] }, context) as Payload;
  if (result.issues.length > 0) issues.push(...z.core.util.prefixIssues(place, result.issues));
  return result.value;
}
