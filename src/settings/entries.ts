/**
 * The entries of a configuration, derived from its schema: a section is an object, and every non-object below it is an entry. One rule
 * gives the environment variable: `api.bodyLimitMb` is ELSEWISE_API_BODY_LIMIT_MB. Further data are in `.meta({ description, variable,
 * secret })` of the schema.
 */
import { z } from 'zod';

export type EntryKind = 'text' | 'number' | 'boolean' | 'list' | 'json' | 'text or json';

export interface Entry {
  /** `['store', 'url']` */
  readonly path: readonly string[];
  /** The names of its environment variable, in order of precedence. */
  readonly variables: readonly string[];
  readonly kind: EntryKind;
  /** The value is never shown. */
  readonly isSecret: boolean;
  /** For a secret: variables that name a file with the value, in the order of `variables`. */
  readonly fileVariables: readonly string[];
  readonly description: string;
  /** A description of the accepted values. */
  readonly accepts: string;
}

interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  /** A second name of the variable, for example a conventional one. */
  readonly variable?: string;
  readonly secret?: boolean;
}

const SECRET_NAME = /(password|passphrase|secret|tokens?)$/i;
/** `withoutToken: true` is no secret. */
const PLAIN_KINDS: readonly EntryKind[] = ['number', 'boolean'];

export function entriesOf(schema: z.ZodType): Entry[] {
  const entries = walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode, []);
  const taken = new Set(entries.flatMap(({ variables }) => variables));
  return entries.map((entry) => ({ ...entry, fileVariables: fileVariables(entry).filter((name) => !taken.has(name)) }));
}

/** A variable of this name belongs to an entry `passwordFile` if the schema has one. */
function fileVariables({ isSecret, variables }: Omit<Entry, 'fileVariables'>): string[] {
  return isSecret ? variables.map((name) => `${name}_FILE`) : [];
}

function walk(node: SchemaNode, path: readonly string[]): Omit<Entry, 'fileVariables'>[] {
  if (!node.properties) return [entry(node, path)];
  return Object.entries(node.properties).flatMap(([name, child]) => walk(child, [...path, name]));
}

function entry(node: SchemaNode, path: readonly string[]): Omit<Entry, 'fileVariables'> {
  const kind = kindOf(node);
  return {
    path,
    variables: [variableOf(path), ...(node.variable ? [node.variable] : [])],
    kind,
    isSecret: node.secret ?? (!PLAIN_KINDS.includes(kind) && SECRET_NAME.test(path.at(-1) ?? '')),
    description: node.description ?? '',
    accepts: words(node),
  };
}

/** `['store', 'batchTtlSeconds']` is ELSEWISE_STORE_BATCH_TTL_SECONDS. */
export function variableOf(path: readonly string[]): string {
  const snake = path.map((name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_'));
  return ['elsewise', ...snake].join('_').toUpperCase();
}

const KINDS: Readonly<Record<string, EntryKind>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

function kindOf({ type, items, anyOf }: SchemaNode): EntryKind {
  if (anyOf) return 'text or json';
  if (type === 'array') return items?.type === 'string' ? 'list' : 'json';
  return KINDS[type ?? ''] ?? 'json';
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'JSON object',
};

function words(node: SchemaNode): string {
  const { type = '', anyOf, items } = node;
  if (anyOf) return anyOf.map(words).join(' or ');
  if (node.const !== undefined) return `\`${node.const}\``;
  if (node.enum) return node.enum.map((value) => `\`${value}\``).join(', ');
  if (type === 'array') return items?.type === 'string' ? `list of ${words(items)}` : 'JSON list';
  return `${NOUNS[type] ?? 'JSON'}${range(node)}`;
}

/** Bounds that only express the range of a double are left out. */
function range({ minimum, maximum }: SchemaNode): string {
  const [from, to] = [minimum, maximum].map((bound) => (Math.abs(bound ?? Infinity) < 2 ** 53 - 1 ? bound : undefined));
  if (from === undefined) return to === undefined ? '' : `, at most ${to}`;
  return to === undefined ? `, ${from} or more` : `, ${from} to ${to}`;
}
