/** The places where two JSON values differ, each with both values. Objects with the same keys in another order differ in their bytes only. */
import { joinPath } from '../../documents/parse.js';

export interface Difference {
  /** `counterfactuals[0].score`; empty for the whole value. */
  readonly path: string;
  /** JSON of the value before and after. Undefined: there is none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** At most `most` differences, in the order of the values. */
export function differencesOf(before: unknown, after: unknown, most: number): Difference[] {
  const found: Difference[] = [];
  collect(before, after, '', found, most);
  return found;
}

function collect(before: unknown, after: unknown, path: string, found: Difference[], most: number): void {
  if (found.length >= most || Object.is(before, after)) return;
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ path, before: JSON.stringify(before), after: JSON.stringify(after) });
    return;
  }
  for (const step of stepsOf(before, after))
    collect(Reflect.get(before, step), Reflect.get(after, step), joinPath(path, [step]), found, most);
}

function stepsOf(before: object, after: object): (string | number)[] {
  if (Array.isArray(before) && Array.isArray(after))
    return Array.from({ length: Math.max(before.length, after.length) }, (_, k) => k);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
