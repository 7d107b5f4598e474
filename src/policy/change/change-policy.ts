/**
 * A policy with a change, which may loosen the policy: entries removed, and a JSON merge patch (RFC 7396) on top. The changed document is
 * checked like every other policy.
 */
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import { entriesOf, withOnly } from '../entries.js';
import { loadPolicy, type Policy } from '../policy.js';

export interface PolicyChange {
  /** Entries to remove: `features.age.change`, all rules of `features.age`, `maxChanges`, `constraints[0]`. */
  readonly allow?: readonly string[];
  /** Keys to set or, by null, to remove. */
  readonly merge?: unknown;
}

/** `path`: the position of the change, for error messages. */
export function changePolicy(policy: PolicyDocument, { allow = [], merge }: PolicyChange, path: string): Policy {
  const loosened = withoutEntries(policy, allow, `${path}.allow`);
  const document = merge === undefined ? loosened : mergePatch(loosened, merge);
  return loadPolicy(JSON.parse(JSON.stringify(document)), `${path}.policy`);
}

export function withoutEntries(policy: PolicyDocument, names: readonly string[], path: string): PolicyDocument {
  const entries = entriesOf(policy);
  const removed = new Set(names.flatMap((name) => entriesUnder(name, entries, path)));
  return withOnly(policy, new Set(entries.filter((entry) => !removed.has(entry))));
}

function entriesUnder(name: string, entries: readonly string[], path: string): string[] {
  const found = entries.filter(
    (entry) => entry === name || entry.startsWith(`${name}.`) || entry.startsWith(`${name}[`),
  );
  if (found.length) return found;
  const known = [...new Set(entries.flatMap((entry) => [entry, entry.replace(/\.[^.]*$/, '')]))];
  throw new ElsewiseError('bad-document', `the policy has no entry "${name}"${didYouMean(name, known)}`, path);
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** ` without features.collateral and with changes of maxChanges`; empty without a change. */
export function changeInWords({ allow = [], merge }: PolicyChange): string {
  const removed = allow.length ? [`without ${allow.join(', ')}`] : [];
  const merged = isObject(merge) ? [`with changes of ${Object.keys(merge).join(', ')}`] : [];
  const words = [...removed, ...merged].join(' and ');
  return words && ` ${words}`;
}
