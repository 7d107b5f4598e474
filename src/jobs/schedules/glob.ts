/**
 * Files by a pattern, in the order of their names: `*` and `?` within a name, `**` for any number of folders. Names that begin with a dot
 * are skipped, as in a shell: half-written files have such names. Other characters are literal.
 */
import { stat } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { glob } from 'tinyglobby';
import { ElsewiseError } from '../../documents/error.js';

const WILD = /[*?]/;
/** Characters with a special meaning in tinyglobby's patterns but not in ours. */
const SPECIAL = /[\\[\]{}()!+@|]/g;

/** Refuses a missing folder: this machine then does not see the files of the pattern. */
export async function expandGlob(pattern: string): Promise<string[]> {
  const { root } = parse(pattern);
  const segments = pattern.slice(root.length).split(sep).filter(Boolean);
  const firstWild = segments.findIndex((segment) => WILD.test(segment));
  const fixed = firstWild < 0 ? segments.length - 1 : firstWild;
  const folder = join(root, ...segments.slice(0, fixed));
  if (!(await hasKind(folder, 'isDirectory')))
    throw new ElsewiseError('bad-input', 'there is no such folder on this machine', folder);
  const wanted = segments.slice(fixed).join('/').replaceAll(SPECIAL, '\\$&');
  const found = await glob(wanted, { cwd: folder, absolute: true, expandDirectories: false, onlyFiles: false });
  const isFile = await Promise.all(found.map((path) => hasKind(path, 'isFile')));
  return found.filter((_, i) => isFile[i]).sort();
}

/** Follows links. */
const hasKind = (path: string, kind: 'isFile' | 'isDirectory'): Promise<boolean> =>
  stat(path).then(
    (info) => info[kind](),
    () => false,
  );
