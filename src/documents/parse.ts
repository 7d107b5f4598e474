/**
 * Parses a document with its zod schema and turns the first faults into sentences with their path: `policy.features.age.chnage: unknown
 * key, did you mean "change"?`
 */
import { z } from 'zod';
import { ENOUGH_FAULTS } from './collections.js';
import { ElsewiseError } from './error.js';
import { didYouMean } from './nearest-name.js';
import { MOST_LEVELS, NestedTooDeeply } from './nesting.js';

type Issue = z.core.$ZodIssue;

const MAX_FAULTS_SHOWN = 5;
/** The longest key in a path: a longer key is no typing error. */
const MAX_KEY_SHOWN = 100;

export function parseDocument<S extends z.ZodType>(schema: S, value: unknown, root: string): z.output<S> {
  refuseReservedKeys(value, { root }, 0);
  const result = parseWithinStack(schema, value, root);
  if (result.success) return result.data;
  const faults = firstFaults(result.error.issues, schema, value, root);
  const [first, ...others] = faults.slice(0, MAX_FAULTS_SHOWN);
  const rest = others.map((fault) => `\n${fault.path}: ${fault.message}`).join('');
  const all = faults.map(({ path, message }) => ({ path, message }));
  throw new ElsewiseError('bad-document', `${first.message}${rest}${countHidden(faults.length)}`, first.path, all);
}

/** The faults of a document, at most `ENOUGH_FAULTS`. Empty: the document fits its schema. */
export function documentFaults(schema: z.ZodType, value: unknown, root: string): Fault[] {
  refuseReservedKeys(value, { root }, 0);
  const result = parseWithinStack(schema, value, root);
  return result.success ? [] : firstFaults(result.error.issues, schema, value, root);
}

/** A recursive schema may use more of the stack than the levels of its document suggest. */
function parseWithinStack<S extends z.ZodType>(schema: S, value: unknown, root: string) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    throw error instanceof RangeError ? new NestedTooDeeply(root) : error;
  }
}

/** Only the first faults become sentences, because a document may have any number of faults. */
function firstFaults(issues: readonly Issue[], schema: z.ZodType, value: unknown, root: string): Fault[] {
  const faults: Fault[] = [];
  for (const issue of issues)
    for (const fault of sentences(issue, schema, value, root)) if (faults.push(fault) >= ENOUGH_FAULTS) return faults;
  return faults;
}

function countHidden(faults: number): string {
  if (faults <= MAX_FAULTS_SHOWN) return '';
  return faults < ENOUGH_FAULTS ? `\n(and ${faults - MAX_FAULTS_SHOWN} more)` : '\n(and more)';
}

/** The position of a value. It becomes text only for a message. */
type Place = { readonly root: string } | { readonly parent: Place; readonly step: PropertyKey };

function showPlace(place: Place): string {
  return 'root' in place ? place.root : joinPath(showPlace(place.parent), [place.step]);
}

function rootOf(place: Place): string {
  let at = place;
  while ('parent' in at) at = at.parent;
  return at.root;
}

/** JSON may contain a key that assignment would turn into the object's prototype. No document needs such a key. */
function refuseReservedKeys(value: unknown, place: Place, level: number): void {
  if (!isNested(value)) return;
  if (level >= MOST_LEVELS) throw new NestedTooDeeply(rootOf(place));
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++)
      if (isNested(value[i])) refuseReservedKeys(value[i], { parent: place, step: i }, level + 1);
    return;
  }
  if (Object.hasOwn(value, '__proto__'))
    throw new ElsewiseError('bad-document', 'this key is not allowed', joinPath(showPlace(place), ['__proto__']));
  for (const step of Object.keys(value)) {
    const child = (value as Record<string, unknown>)[step];
    if (isNested(child)) refuseReservedKeys(child, { parent: place, step }, level + 1);
  }
}

const isNested = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !ArrayBuffer.isView(value);

export interface Fault {
  /** The path in words. */
  readonly path: string;
  readonly message: string;
  /** The path in steps, from the root of the document. */
  readonly steps: readonly PropertyKey[];
}

function sentences(issue: Issue, schema: z.ZodType, value: unknown, root: string): Fault[] {
  const path = joinPath(root, issue.path);
  const steps = issue.path;
  if (issue.code === 'unrecognized_keys') {
    const shapes = knownShapes(schema, issue.path);
    const keys = issue.keys.slice(0, ENOUGH_FAULTS);
    return keys.map((key) => ({
      path: joinPath(path, [key]),
      message: unknownKey(key, shapes),
      steps: [...steps, key],
    }));
  }
  if (issue.code === 'invalid_union') return unionSentences(issue, schema, value, root);
  return [{ path, message: `${lowerFirst(issue.message)}${optionHint(issue, value)}`, steps }];
}

/** The nearest option for a text that is none of the options. */
function optionHint(issue: Issue, value: unknown): string {
  if (issue.code !== 'invalid_value') return '';
  const text = issue.path.reduce<unknown>((at, step) => (isNested(at) ? Reflect.get(at, step) : undefined), value);
  const options = issue.values.filter((option) => typeof option === 'string');
  return typeof text === 'string' ? didYouMean(text, options) : '';
}

/** The branch that matched best describes the author's intention: no unknown keys, then the deepest fault. */
function unionSentences(
  issue: Issue & { code: 'invalid_union' },
  schema: z.ZodType,
  value: unknown,
  root: string,
): Fault[] {
  const strangers = (branch: Issue[]) => branch.filter((fault) => fault.code === 'unrecognized_keys').length;
  const depth = (branch: Issue[]) => Math.max(...branch.map((fault) => fault.path.length));
  const best = [...issue.errors].sort((a, b) => strangers(a) - strangers(b) || depth(b) - depth(a))[0];
  const shallow = issue.errors.every((branch) => depth(branch) === 0 && strangers(branch) === 0);
  if (!best || shallow) {
    const expected = issue.errors.flat().map((fault) => lowerFirst(fault.message));
    const path = joinPath(root, issue.path);
    return [{ path, steps: issue.path, message: [...new Set(expected)].join('; or ') || lowerFirst(issue.message) }];
  }
  const informative =
    depth(best) > 0
      ? best
      : issue.errors
          .flat()
          .filter((fault) => fault.code === 'unrecognized_keys')
          .slice(0, 1);
  return informative.flatMap((fault) =>
    sentences({ ...fault, path: [...issue.path, ...fault.path] } as Issue, schema, value, root),
  );
}

/** `shapes`: the keys of every object that is possible here. */
function unknownKey(key: string, shapes: string[][]): string {
  const home = shapes.find((keys) => keys.includes(key));
  if (home)
    return `does not go with the other keys here; it goes with ${home.filter((other) => other !== key).join(', ')}`;
  const known = [...new Set(shapes.flat())];
  return `unknown key${didYouMean(key, known) || (known.length ? `; known are ${known.join(', ')}` : '')}`;
}

/** Walks the schema along a path to find the known objects there. */
function knownShapes(schema: z.ZodType, path: PropertyKey[]): string[][] {
  let nodes: z.ZodType[] = [schema];
  for (const step of path) nodes = nodes.flatMap((node) => childSchemas(unwrap(node), step));
  return nodes.flatMap(unwrap).flatMap((node) => (node instanceof z.ZodObject ? [Object.keys(node.shape)] : []));
}

function unwrap(node: z.ZodType): z.ZodType[] {
  if (node instanceof z.ZodUnion) return (node.options as z.ZodType[]).flatMap(unwrap);
  const inner =
    (node.def as { innerType?: z.ZodType; in?: z.ZodType }).innerType ?? (node.def as { in?: z.ZodType }).in;
  return inner ? unwrap(inner) : [node];
}

function childSchemas(nodes: z.ZodType[], step: PropertyKey): z.ZodType[] {
  return nodes.flatMap((node) => {
    if (node instanceof z.ZodObject) return Object.hasOwn(node.shape, step) ? [node.shape[step as string]] : [];
    if (node instanceof z.ZodRecord) return [node.valueType as z.ZodType];
    if (node instanceof z.ZodArray) return [node.element as z.ZodType];
    return [];
  });
}

export function joinPath(root: string, path: PropertyKey[]): string {
  return path.reduce<string>(
    (sofar, step) =>
      typeof step === 'number' ? `${sofar}[${step}]` : `${sofar}${sofar && '.'}${showKey(String(step))}`,
    root,
  );
}

const showKey = (key: string): string => (key.length > MAX_KEY_SHOWN ? `${key.slice(0, MAX_KEY_SHOWN)}...` : key);

const lowerFirst = (text: string): string => (text ? text[0].toLowerCase() + text.slice(1) : text);
