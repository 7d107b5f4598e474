/**
 * Command-line options from a table. The table defines the options. This file reads arguments by the table and writes the help text. An
 * invalid argument is refused with the nearest valid name.
 */
import { parseArgs } from 'node:util';
import { ElsewiseError } from '../documents/error.js';
import { didYouMean } from '../documents/nearest-name.js';

interface Common {
  readonly help: string;
  readonly required?: boolean;
}

export type OptionSpec =
  | (Common & { readonly kind: 'flag' })
  | (Common & { readonly kind: 'text'; readonly value: string })
  | (Common & { readonly kind: 'whole'; readonly value: string; readonly min?: number; readonly max?: number })
  | (Common & { readonly kind: 'number'; readonly value: string; readonly min?: number; readonly max?: number })
  | (Common & { readonly kind: 'choice'; readonly choices: readonly string[] });

export type OptionTable = Readonly<Record<string, OptionSpec>>;

type ValueOf<S extends OptionSpec> = S['kind'] extends 'flag'
  ? boolean
  : (S['kind'] extends 'whole' | 'number' ? number : string) | (S['required'] extends true ? never : undefined);

export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: ValueOf<T[K]> };

export interface CommandInput<T extends OptionTable> {
  readonly options: OptionValues<T>;
  readonly positionals: readonly string[];
}

const usageError = (message: string) => new ElsewiseError('usage', message);

/** `positionals`: the names of the arguments without a dash. A name in brackets, `[ID]`, is optional. */
export function readArguments<T extends OptionTable>(
  args: readonly string[],
  table: T,
  positionals: readonly string[],
): CommandInput<T> {
  const types = Object.entries(table).map(([name, { kind }]) => [
    name,
    { type: kind === 'flag' ? 'boolean' : 'string' },
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types) as Record<string, { type: 'boolean' | 'string' }>,
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string | boolean>();
  const loose: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') loose.push(token.value);
    else if (token.kind === 'option') readOption(token, table, given);
  }
  checkPositionals(loose, positionals);
  return { options: collect(table, given), positionals: loose };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string;
  readonly inlineValue?: boolean;
}

function readOption(token: OptionToken, table: OptionTable, given: Map<string, string | boolean>): void {
  const { name, rawName } = token;
  if (!Object.hasOwn(table, name) || !rawName.startsWith('--')) throw unknownOption(name, rawName, table);
  if (given.has(name)) throw usageError(`${rawName} is given twice`);
  given.set(name, readText(token, table[name]));
}

function unknownOption(name: string, rawName: string, table: OptionTable): ElsewiseError {
  const hint = didYouMean(name, Object.keys(table)).replace('"', '"--');
  return usageError(`unknown option ${rawName}${hint}`);
}

function readText({ rawName, value, inlineValue }: OptionToken, spec: OptionSpec): string | boolean {
  if (spec.kind === 'flag') {
    if (value !== undefined) throw usageError(`${rawName} takes no value`);
    return true;
  }
  const looksLikeOption = !inlineValue && value?.startsWith('--');
  if (value === undefined || value === '' || looksLikeOption)
    throw usageError(`${rawName} needs a value: ${show(spec)}`);
  return value;
}

function checkPositionals(loose: readonly string[], names: readonly string[]): void {
  const missing = names[loose.length];
  if (missing !== undefined && !missing.startsWith('[')) throw usageError(`${missing} is missing`);
  if (loose.length > names.length) throw usageError(`unexpected argument "${loose[names.length]}"`);
}

function collect<T extends OptionTable>(table: T, given: ReadonlyMap<string, string | boolean>): OptionValues<T> {
  const missing = Object.entries(table).filter(([name, spec]) => spec.required && !given.has(name));
  if (missing.length) throw usageError(`${listed(missing.map(([name, spec]) => `--${name} ${show(spec)}`))} missing`);
  const entries = Object.entries(table).map(([name, spec]) => {
    const text = given.get(name);
    return [name, text === undefined ? (spec.kind === 'flag' ? false : undefined) : convert(name, text, spec)];
  });
  return Object.fromEntries(entries) as OptionValues<T>;
}

const listed = (names: readonly string[]): string =>
  names.length === 1 ? `${names[0]} is` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are`;

function convert(name: string, text: string | boolean, spec: OptionSpec): string | number | boolean {
  if (typeof text === 'boolean' || spec.kind === 'flag' || spec.kind === 'text') return text;
  if (spec.kind === 'choice') {
    if (spec.choices.includes(text)) return text;
    throw usageError(`--${name}: "${text}" is none of ${spec.choices.join(', ')}${didYouMean(text, spec.choices)}`);
  }
  const number = Number(text);
  const fits = spec.kind === 'whole' ? Number.isSafeInteger(number) : Number.isFinite(number);
  const what = spec.kind === 'whole' ? 'a whole number' : 'a number';
  if (!fits || text.trim() === '') throw usageError(`--${name}: expected ${what}, got "${text}"`);
  if (number < (spec.min ?? -Infinity)) throw usageError(`--${name}: expected ${spec.min} or more, got ${text}`);
  if (number > (spec.max ?? Infinity)) throw usageError(`--${name}: expected ${spec.max} or less, got ${text}`);
  return number;
}

function show(spec: OptionSpec): string {
  if (spec.kind === 'flag') return '';
  return spec.kind === 'choice' ? spec.choices.join('|') : spec.value;
}

/** Lines of the help text, one or more per option. */
export function describeOptions(table: OptionTable): string[] {
  const heads = Object.entries(table).map(([name, spec]) => `--${name} ${show(spec)}`.trimEnd());
  const width = Math.min(28, Math.max(0, ...heads.map((head) => head.length)));
  return Object.values(table).flatMap((spec, i) => {
    const text = spec.required ? `${spec.help} (required)` : spec.help;
    const [first, ...rest] = text.split('\n');
    const indent = ' '.repeat(width + 4);
    const continued = rest.map((line) => indent + line);
    if (heads[i].length > width) return [`  ${heads[i]}`, indent + first, ...continued];
    return [`  ${heads[i].padEnd(width)}  ${first}`, ...continued];
  });
}
