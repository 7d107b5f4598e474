/**
 * Models in PMML, made by test/interop/pmml/make_pmml.py: written by hand, and by sklearn2pmml. JPMML's evaluator gives the results. Maven fetches
 * the evaluator, pip fetches sklearn2pmml with releases of scikit-learn, XGBoost and LightGBM that it converts.
 *
 *   node scripts/interop-pmml.mjs       makes the small selection of test/fixtures/pmml again, which `npm test` reads
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'elsewise-pmml');
const FIXTURES = join(ROOT, 'test', 'fixtures', 'pmml');
const SCRIPTS = join(ROOT, 'test', 'interop', 'pmml');
/** The converter refuses releases of scikit-learn that are newer than itself. */
const LIBRARIES = ['sklearn2pmml', 'scikit-learn<1.9', 'pandas', 'xgboost', 'lightgbm'];

/** The exported models that the repository keeps, beside all that are written by hand. */
const KEPT = [
  'boosting',
  'boosting-three',
  'forest',
  'gaussian',
  'histogram',
  'lightgbm',
  'lightgbm-number',
  'logistic',
  'logistic-bins',
  'logistic-imputed',
  'network',
  'network-number',
  'poisson',
  'svc-three',
  'tree',
  'xgboost',
  'xgboost-three',
];
const KEPT_ROWS = 40;

function run(command, args) {
  const { status, error, stderr, stdout } = spawnSync(command, args, {
    cwd: SCRIPTS,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' },
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.slice(-2000)}`);
}

function providePython() {
  const python = join(CACHE, 'python', 'bin', 'python');
  if (!existsSync(python)) run('python3', ['-m', 'venv', join(CACHE, 'python')]);
  run(python, ['-m', 'pip', 'install', '--quiet', ...LIBRARIES]);
  return python;
}

function provideEvaluator() {
  const jars = join(CACHE, 'jars');
  run('mvn', ['--quiet', '--file', 'pom.xml', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`]);
  return jars;
}

const versionOf = (jars) =>
  readdirSync(jars).flatMap((name) => /^pmml-evaluator-([\d.]+)\.jar$/.exec(name)?.[1] ?? [])[0];

/** Fills a folder with models and results. Further arguments go to the script. */
export function makePmmlModels(folder, args = []) {
  mkdirSync(CACHE, { recursive: true });
  const jars = provideEvaluator();
  run(providePython(), ['make_pmml.py', folder, jars, `JPMML ${versionOf(jars)}`, ...args]);
}

function keepFixtures() {
  const made = mkdtempSync(join(tmpdir(), 'elsewise-pmml-'));
  makePmmlModels(made, ['--rows', String(KEPT_ROWS)]);
  rmSync(FIXTURES, { recursive: true, force: true });
  mkdirSync(FIXTURES, { recursive: true });
  const isKept = (file) => !file.startsWith('sklearn-') || KEPT.includes(file.slice('sklearn-'.length).split('.')[0]);
  for (const file of readdirSync(made).filter(isKept))
    writeFileSync(join(FIXTURES, `${file}.gz`), gzipSync(readFileSync(join(made, file)), { level: 9 }));
  rmSync(made, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) keepFixtures();
