/**
 * Models of the bench that Python libraries train: kept under bench/.cache until the trainer, the exporter or the importers change.
 * Each has a folder with a model, a policy and rows that the model rejects.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { providePython } from '../scripts/python.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A folder of the cache. */
export const cacheOf = (kind) => at(`.cache/${kind}`);

/** By name, once the models are trained: paths of `model`, `policy` and `rows`. `finish` gets the folder of each new model. */
export function provideTrained({ kind, trainer, names, finish = () => {} }) {
  const [script, cache] = [at(trainer), cacheOf(kind)];
  const mark = join(cache, 'stamp');
  const stamp = digest([script, ...listFiles(at('../python/'), '.py'), ...listFiles(at('../dist/formats/'), '.js')]);
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== stamp) {
    trainAll(script, cache);
    for (const name of names) finish(join(cache, name));
    writeFileSync(mark, stamp);
  }
  return new Map(names.map((name) => [name, locate(join(cache, name))]));
}

const locate = (folder) => ({
  model: join(folder, 'model.json'),
  policy: join(folder, 'policy.json'),
  rows: join(folder, 'rows.ndjson'),
});

const listFiles = (folder, ending) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));

function digest(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(readFileSync(path));
  return hash.digest('hex');
}

function trainAll(script, cache) {
  const python = providePython();
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  execFileSync(python, [script, cache], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}
