/**
 * Environment variables as layers of configuration. The kind of an entry decides how its text is read. An invalid text is refused with the
 * name of the variable. An empty variable counts as unset. A file may contain a secret instead: `<variable>_FILE` names the file, as
 * orchestrators mount secrets.
 */
import { readFileSync } from 'node:fs';
import { ElsewiseError } from '../documents/error.js';
import { didYouMean } from '../documents/nearest-name.js';
import type { Entry, EntryKind } from './entries.js';
import { type Layer, treeOf } from './layers.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'ELSEWISE_';

export function environmentLayers(entries: readonly Entry[], environment: Environment): Layer[] {
  return entries.flatMap((entry) => {
    const found = entry.variables.map((name) => read(name, entry, environment)).find((text) => text !== undefined);
    if (!found) return [];
    return [{ origin: found.origin, values: treeOf(entry.path, convert(found, entry)) }];
  });
}

/** Sentences about unknown variables with our prefix, which are mostly typing errors. */
export function unknownVariables(
  entries: readonly Entry[],
  environment: Environment,
  others: readonly string[],
): string[] {
  const known = knownNames(entries, others);
  const words = (name: string) => `${name}: no entry has this variable${didYouMean(name, known)}`;
  return unknownNames(entries, environment, others).map(words);
}

export function unknownNames(entries: readonly Entry[], environment: Environment, others: readonly string[]): string[] {
  const known = knownNames(entries, others);
  return Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
}

const knownNames = (entries: readonly Entry[], others: readonly string[]): string[] => [
  ...entries.flatMap(namesOf),
  ...others,
];

const namesOf = ({ variables, fileVariables }: Entry): readonly string[] => [...variables, ...fileVariables];

interface VariableText {
  readonly origin: string;
  readonly text: string;
}

function read(name: string, { fileVariables }: Entry, environment: Environment): VariableText | undefined {
  const file = fileVariables.includes(`${name}_FILE`) ? environment[`${name}_FILE`] : undefined;
  const text = environment[name];
  if (file && text) throw new ElsewiseError('usage', `${name}_FILE is set as well: unset one of the two`, name);
  if (file) return { origin: `${name}_FILE`, text: readSecret(file, `${name}_FILE`) };
  return text ? { origin: name, text } : undefined;
}

/** Without a trailing line end, which editors add. */
function readSecret(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ElsewiseError('usage', `cannot read ${file}: ${(error as Error).message}`, name);
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };

/** Undefined: the text is not of this kind. */
const CONVERSIONS: Readonly<Record<EntryKind, (text: string) => unknown>> = {
  text: (text) => text,
  number: (text) => (Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : undefined),
  boolean: (text) => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined),
  list: (text) => (text.trimStart().startsWith('[') ? json(text) : text.split(',').map((item) => item.trim())),
  json,
  'text or json': (text) => json(text) ?? text,
};

function convert({ origin, text }: VariableText, { kind, isSecret, accepts }: Entry): unknown {
  const value = CONVERSIONS[kind](text);
  if (value !== undefined) return value;
  throw new ElsewiseError('usage', `expected ${accepts}${isSecret ? '' : `, got "${text}"`}`, origin);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
