/**
 * The tree ensembles of the bench: trained by train_forests.py with the real libraries, kept under bench/.cache until
 * the trainer, the exporter or the importer changes. Each has a model, a policy and rows that the model rejects.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importXgboost } from '../dist/formats/xgboost.js';
import { providePython } from '../scripts/python.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
/** As the trainer names them; a run can be asked for some of them before any is trained. */
export const FORESTS = [
  'credit-rf',
  'credit-rf5',
  'credit-gb',
  'credit-xgb8',
  'cancer-gb',
  'cancer-rf',
  'small',
  'bulk',
  'wide',
];

const TRAINER = at('train_forests.py');
const CACHE = at('.cache/forests');
/** What XGBoost saved of 500 trees of depth 8, to be imported. */
export const LARGE = join(CACHE, 'large.xgboost.json');
const STAMP = join(CACHE, 'stamp');

/** By name, once they are trained: paths of `model`, `policy` and `rows`. */
export function provideForests() {
  const stamp = digest([TRAINER, ...listFiles(at('../python/'), '.py'), ...listFiles(at('../dist/formats/'), '.js')]);
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== stamp) trainAll(stamp);
  return new Map(FORESTS.map((name) => [name, locate(name)]));
}

function locate(name) {
  const file = (base) => join(CACHE, name, base);
  return { model: file('model.json'), policy: file('policy.json'), rows: file('rows.ndjson') };
}

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

function trainAll(stamp) {
  const python = providePython();
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  execFileSync(python, [TRAINER, CACHE], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const name of FORESTS) joinDocument(join(CACHE, name));
  writeFileSync(STAMP, stamp);
}

/** What XGBoost saved has neither types nor classes nor a background: those are told in about.json. */
function joinDocument(folder) {
  const saved = join(folder, 'model.xgboost.json');
  if (!existsSync(saved)) return;
  const about = JSON.parse(readFileSync(join(folder, 'about.json'), 'utf8'));
  writeFileSync(join(folder, 'model.json'), `${JSON.stringify({ ...importXgboost(readFileSync(saved)), ...about })}\n`);
}
