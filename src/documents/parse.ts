/**
 * Parses a document with its zod schema and turns the first faults into sentences with their path: `policy.features.age.chnage: unknown
 * key, did you mean "change"?`
 *
 *   faults(document)  =  faults of the schema  +  faults of further checks on the well-formed part of the document
 *
 * Zod checks several values together only where each of them fits. The well-formed part is therefore parsed again.
 */
import { z } from 'zod';
import { ENOUGH_FAULTS } from './collections.js';
import { ElsewiseError, type PlacedFault } from './error.js';
import { alternatives, expectedForm, type Issue, suggestion, typeFault, wordsOf } from './faults/fault-words.js';
import { firstOf, refusalOf } from './faults/refusal.js';
import { WellFormedPart } from './faults/well-formed-part.js';
import { didYouMean } from './nearest-name.js';
import { isNested, MOST_LEVELS, NestedTooDeeply } from './nesting.js';

/** The longest key in a path: a longer key is no typing error. */
const MAX_KEY_SHOWN = 100;

/** Faults that the schema cannot see, in a document or its well-formed part. */
export type FurtherCheck<T> = (parsed: T, root: string) => Iterable<PlacedFault>;

export function parseDocument<S extends z.ZodType>(
  schema: S,
  value: unknown,
  root: string,
  further?: FurtherCheck<z.output<S>>,
): z.output<S> {
  const { faults, parsed } = examine(schema, value, root, further);
  if (faults.length) throw refusalOf(faults);
  return parsed as z.output<S>;
}

export interface Examined<T> {
  /** At most `ENOUGH_FAULTS`. Empty: the document is good. */
  readonly faults: PlacedFault[];
  /** The document, or its well-formed part. Undefined: nothing is left. */
  readonly parsed: T | undefined;
  /** Whether the value at a place of the document is whole in `parsed`. */
  isWhole(...steps: PropertyKey[]): boolean;
  /** A path in `parsed` -> the path in the document. */
  originalPath(path: string): string;
}

/** All faults of a document, and its well-formed part. */
export function examine<S extends z.ZodType>(
  schema: S,
  value: unknown,
  root: string,
  further?: FurtherCheck<z.output<S>>,
): Examined<z.output<S>> {
  refuseReservedKeys(value, { root }, 0);
  const part = new WellFormedPart(value);
  const { faults, parsed } = parsePart(schema, root, part);
  const originalPath = (path: string) => part.originalPath(path, (steps) => joinPath(root, steps));
  const others = further && parsed !== undefined ? further(parsed, root) : [];
  const placed = [...faults, ...firstOf(others)].slice(0, ENOUGH_FAULTS);
  return {
    faults: placed.map(({ path, message }, i) => ({ path: i < faults.length ? path : originalPath(path), message })),
    parsed,
    isWhole: (...steps) => !part.isTouched(steps),
    originalPath,
  };
}

/** The number of rounds: without one value another value may be wrong. */
const ROUNDS = 5;

/** Values with faults are left out until the rest fits. Faults that follow from values left out are not told. */
function parsePart<S extends z.ZodType>(
  schema: S,
  root: string,
  part: WellFormedPart,
): { faults: Fault[]; parsed: z.output<S> | undefined } {
  const faults: Fault[] = [];
  for (let round = 0; round < ROUNDS && (round === 0 || part.value !== undefined); round++) {
    const result = parseWithinStack(schema, part.value, root);
    if (result.success) return { faults, parsed: result.data };
    const own = firstFaults(result.error.issues, schema, part.value).map((sentence) => {
      const steps = part.originalSteps(sentence.steps);
      return { ...sentence, path: joinPath(root, steps), steps };
    });
    faults.push(...own.filter(({ steps }) => !part.isTouched(steps)));
    if (faults.length >= ENOUGH_FAULTS) break;
    for (const { steps, only } of own) if (only !== undefined) part.replace(steps, only);
    part.leaveOut(own.filter(({ only }) => only === undefined).map(({ steps }) => steps));
  }
  return { faults, parsed: undefined };
}

/** The faults of a document, at most `ENOUGH_FAULTS`. Empty: the document fits its schema. */
export function documentFaults(schema: z.ZodType, value: unknown, root: string): PlacedFault[] {
  return examine(schema, value, root).faults;
}

/** A recursive schema may use more of the stack than the levels of its document suggest. */
function parseWithinStack<S extends z.ZodType>(schema: S, value: unknown, root: string) {
  try {
    return schema.safeParse(value, { error: wordsOf });
  } catch (error) {
    throw error instanceof RangeError ? new NestedTooDeeply(root) : error;
  }
}

/** Only the first faults become sentences, because a document may have any number of faults. */
function firstFaults(issues: readonly Issue[], schema: z.ZodType, value: unknown): Sentence[] {
  const faults: Sentence[] = [];
  for (const issue of issues)
    for (const fault of sentences(issue, schema, value)) if (faults.push(fault) >= ENOUGH_FAULTS) return faults;
  return faults;
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

interface Sentence {
  readonly message: string;
  /** The path in steps, from the root of the document. */
  readonly steps: readonly PropertyKey[];
  /** The only value that fits here. */
  readonly only?: unknown;
}

type Fault = Sentence & PlacedFault;

function sentences(issue: Issue, schema: z.ZodType, value: unknown): Sentence[] {
  const steps = issue.path;
  if (issue.code === 'unrecognized_keys') {
    const shapes = knownShapes(schema, steps);
    const keys = issue.keys.slice(0, ENOUGH_FAULTS);
    return keys.map((key) => ({ message: unknownKey(key, shapes), steps: [...steps, key] }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length) return unionSentences(issue, schema, value);
  const only = issue.code === 'invalid_value' && issue.values.length === 1 ? issue.values[0] : undefined;
  return [{ message: `${issue.message}${optionHint([issue], valueAt(value, steps))}`, steps, only }];
}

const valueAt = (value: unknown, steps: readonly PropertyKey[]): unknown =>
  steps.reduce<unknown>((at, step) => (isNested(at) ? Reflect.get(at, step) : undefined), value);

/** The nearest option for a text that is none of the options. */
function optionHint(issues: readonly Issue[], given: unknown): string {
  const values = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []));
  const options = values.filter((option) => typeof option === 'string');
  return typeof given === 'string' ? suggestion(given, options) : '';
}

/** The branch that matched best describes the author's intention: no unknown keys, then the deepest fault. */
function unionSentences(issue: Issue & { code: 'invalid_union' }, schema: z.ZodType, value: unknown): Sentence[] {
  const strangers = (branch: Issue[]) => branch.filter((fault) => fault.code === 'unrecognized_keys').length;
  const depth = (branch: Issue[]) => Math.max(...branch.map((fault) => fault.path.length));
  const best = [...issue.errors].sort((a, b) => strangers(a) - strangers(b) || depth(b) - depth(a))[0];
  const shallow = issue.errors.every((branch) => depth(branch) === 0 && strangers(branch) === 0);
  if (shallow) return [{ message: formsFault(issue.errors.flat(), valueAt(value, issue.path)), steps: issue.path }];
  const informative =
    depth(best) > 0
      ? best
      : issue.errors
          .flat()
          .filter((fault) => fault.code === 'unrecognized_keys')
          .slice(0, 1);
  return informative.flatMap((fault) =>
    sentences({ ...fault, path: [...issue.path, ...fault.path] } as Issue, schema, value),
  );
}

/** The message for a value that has none of the forms of a union. A form that the value has, with another fault, tells that fault. */
function formsFault(issues: readonly Issue[], given: unknown): string {
  const others = issues.filter((issue) => expectedForm(issue) === undefined);
  if (others.length && given !== undefined) return [...new Set(others.map(({ message }) => message))].join('; or ');
  const forms = [...new Set(issues.map(expectedForm).filter((form) => form !== undefined))];
  const hint = optionHint(issues, given);
  return hint ? `expected ${alternatives(forms)}${hint}` : typeFault(alternatives(forms), given);
}

/** `shapes`: the keys of every object that is possible here. */
function unknownKey(key: string, shapes: string[][]): string {
  const home = shapes.find((keys) => keys.includes(key));
  if (home)
    return `does not go with the other keys here; it goes with ${home.filter((other) => other !== key).join(', ')}`;
  const known = [...new Set(shapes.flat())];
  const verb = known.length === 1 ? 'is' : 'are';
  return `unknown key${didYouMean(key, known) || (known.length ? `; known ${verb} ${known.join(', ')}` : '')}`;
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

export function joinPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (sofar, step) =>
      typeof step === 'number' ? `${sofar}[${step}]` : `${sofar}${sofar && '.'}${showKey(String(step))}`,
    root,
  );
}

const showKey = (key: string): string => (key.length > MAX_KEY_SHOWN ? `${key.slice(0, MAX_KEY_SHOWN)}...` : key);
