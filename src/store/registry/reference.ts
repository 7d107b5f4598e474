/** The names of versions: `credit` (its latest), `credit@3`, `credit@latest`, `credit@production`. */
import { ElsewiseError } from '../../documents/error.js';

export interface Reference {
  readonly name: string;
  /** A number, an alias or `latest`. */
  readonly version: string;
}

export const LATEST = 'latest';

const NAME = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}';
const IS_NAME = new RegExp(`^${NAME}$`);
const REFERENCE = new RegExp(`^(?<name>${NAME})(?:@(?<version>${NAME}))?$`);
/** The documented form is `name@alias=version`. A slash cannot be part of a name, so it is accepted as well. */
const ALIAS = new RegExp(`^(?<name>${NAME})[@/](?<alias>${NAME})(?:=(?<version>${NAME}))?$`);
const IS_ALIAS = /^[A-Za-z][A-Za-z0-9._-]*$/;

export function readReference(text: string): Reference {
  const { name, version = LATEST } = REFERENCE.exec(text)?.groups ?? {};
  if (name) return { name, version };
  throw new ElsewiseError('usage', `expected name, name@version or name@alias, got "${text}"`);
}

/** The reference of a removal. An omitted number must not remove the latest version. */
export function readExactReference(text: string): { name: string; version: number } {
  const { name, version } = readReference(text);
  if (/^\d+$/.test(version)) return { name, version: Number(version) };
  throw new ElsewiseError('usage', `expected name@number, such as ${name}@1, got "${text}"`);
}

/** `name@alias=version`, or without the version `name@alias`. */
export function readAlias(text: string): { name: string; alias: string; version: string | undefined } {
  const { name, alias, version } = ALIAS.exec(text)?.groups ?? {};
  if (!name)
    throw new ElsewiseError('usage', `expected name@alias=version, such as credit@production=3, got "${text}"`);
  checkAlias(alias);
  return { name, alias, version };
}

/** An alias must never look like a version. */
export function checkAlias(alias: string): void {
  if (IS_ALIAS.test(alias) && alias !== LATEST) return;
  const rule = `begins with a letter, goes on with letters, digits, dot, dash or underscore, and is not "${LATEST}"`;
  throw new ElsewiseError('usage', `"${alias}" cannot be an alias: an alias ${rule}`);
}

export function checkName(name: string, path: string): void {
  if (IS_NAME.test(name)) return;
  const rule = 'letters, digits, dot, dash and underscore, beginning with a letter or digit, at most 100';
  throw new ElsewiseError('bad-document', `"${name}" cannot be a name in the registry: ${rule}`, path);
}

/**
 * Whether a text that is no file may be a reference: `credit@3` and `credit` may. A text that looks like a path or a file with an extension
 * may not.
 */
export function looksLikeReference(text: string): boolean {
  return REFERENCE.test(text) && (text.includes('@') || !text.includes('.'));
}
