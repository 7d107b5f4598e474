/**
 * Files by a pattern, in the order of their names: `*` and `?` within a name, `**` for any number of folders. Names that
 * begin with a dot are left out, as a shell does: that is where half-written files hide.
 */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';

const WILD = /[*?]/;

/** Refuses a folder that is not there: then this machine does not see what the pattern means. */
export async function expandGlob(pattern: string): Promise<string[]> {
  const { root } = parse(pattern);
  const segments = pattern.slice(root.length).split(sep).filter(Boolean);
  const firstWild = segments.findIndex((segment) => WILD.test(segment));
  const fixed = firstWild < 0 ? segments.length - 1 : firstWild;
  const folder = join(root, ...segments.slice(0, fixed));
  if (!(await isFolder(folder)))
    throw new ElsewiseError('bad-input', 'there is no such folder on this machine', folder);
  const found = new Set<string>();
  await collect(folder, segments.slice(fixed), found);
  return [...found].sort();
}

async function collect(folder: string, [segment, ...rest]: readonly string[], found: Set<string>): Promise<void> {
  const isLast = rest.length === 0;
  const pattern = toRegExp(segment);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [] as Dirent[]);
  if (segment === '**') await collect(folder, isLast ? ['*'] : rest, found);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (segment === '**') {
      if (entry.isDirectory() && !entry.name.startsWith('.')) await collect(path, [segment, ...rest], found);
    } else if (pattern.test(entry.name)) {
      if (!isLast) await collect(path, rest, found);
      else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(path)))) found.add(path);
    }
  }
}

function toRegExp(segment: string): RegExp {
  const text = segment
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${WILD.test(segment[0]) ? '(?!\\.)' : ''}${text}$`, 's');
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isFile(),
    () => false,
  );
