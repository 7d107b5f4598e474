/**
 * `npm run interop`: the tests of the exporter and the importers with the newest releases of scikit-learn, pandas, XGBoost, LightGBM,
 * interpret and optbinning, which pip fetches into an environment of its own, the tables of `explain` in pandas and LibreOffice, and models of many
 * versions of the boosting libraries and of onnxruntime (interop-models.mjs), and in PMML (interop-pmml.mjs), whose results are the matrix of
 * docs/interop.md. INTEROP_PYTHON names an interpreter that has them already. `npm test` needs neither: it
 * takes the libraries of Debian. Further arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeAllModels } from './interop-models.mjs';
import { writePage } from './interop-page.mjs';
import { makePmmlModels } from './interop-pmml.mjs';
import { findProgram, installPackage, Missing, mayInstall } from './system.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENVIRONMENT = join(ROOT, 'node_modules', '.cache', 'elsewise-interop');
const LIBRARIES = [
  'scikit-learn',
  'pandas',
  'xgboost',
  'lightgbm',
  'catboost',
  'interpret-core',
  'optbinning',
  'setuptools',
  'wheel',
];
/** The scripts that make the fixtures of additive models, and the tests that read the fixtures. */
const ADDITIVE = {
  scripts: ['make_ebms.py', 'make_scorecards.py'].map((name) => join(ROOT, 'test', 'fixtures', 'additive', name)),
  tests: ['ebm', 'scorecard'].map((name) => `test/unit/formats/${name}.test.ts`),
};
const TESTS = ['sklearn-everyday', 'python-package', 'xgboost'].map((name) => `test/interop/${name}.test.ts`);

function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  if (error) console.error(`${command} does not start: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function providePython() {
  const python = join(ENVIRONMENT, 'bin', 'python');
  if (!existsSync(python)) {
    mkdirSync(ENVIRONMENT, { recursive: true });
    run('python3', ['-m', 'venv', ENVIRONMENT]);
  }
  run(python, ['-m', 'pip', 'install', '--quiet', '--upgrade', ...LIBRARIES]);
  return python;
}

/** The fixtures, made again by the libraries that are installed, must pass the tests of those that are committed. */
function checkAdditive(python) {
  const folder = mkdtempSync(join(tmpdir(), 'elsewise-additive-'));
  const env = { PYTHONPATH: join(ROOT, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
  for (const script of ADDITIVE.scripts) run(python, [script, folder], env);
  run('npx', ['vitest', 'run', ...ADDITIVE.tests], { ADDITIVE_FIXTURES: `${pathToFileURL(folder)}/` });
  rmSync(folder, { recursive: true });
}

function provideOffice() {
  if (!findProgram('soffice') && mayInstall()) installPackage('libreoffice-calc-nogui');
  const office = findProgram('soffice');
  if (!office) throw new Missing('LibreOffice is needed: install the package libreoffice-calc-nogui');
  return office;
}

const python = process.env.INTEROP_PYTHON ?? providePython();
run('npm', ['run', 'build']);
run(python, [
  '-c',
  'import lightgbm, pandas, sklearn, xgboost as x; print(*[f"{m.__name__} {m.__version__}" for m in (sklearn, pandas, x, lightgbm)])',
]);
checkAdditive(python);
run('npx', ['vitest', 'run', ...TESTS, ...process.argv.slice(2)], { PYTHON: python, INTEROP: 'newest' });
const models = makeAllModels();
makePmmlModels(join(models, 'pmml-evaluated'));
run('npx', ['vitest', 'run', '--config', 'test/interop/vitest.config.ts'], {
  PYTHON: python,
  SOFFICE: provideOffice(),
  MODELS: models,
});
writePage();
