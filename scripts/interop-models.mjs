/**
 * Models of many versions of the boosting libraries, and of ONNX files, made by test/interop/boosters/fit_LIBRARY.py. A version is installed beside the others,
 * without what it depends on: numpy and pandas come from one of two environments.
 *
 *   node scripts/interop-models.mjs [LIBRARY]   makes the small selection of test/fixtures/libraries again, which `npm test` reads
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'elsewise-libraries');
const FIXTURES = join(ROOT, 'test', 'fixtures', 'libraries');
const SCRIPTS = join(ROOT, 'test', 'interop', 'boosters');
const NEWEST = 'newest';

/** Older versions were built for an older numpy. */
const COMMON = ['six', 'graphviz', 'plotly'];
const BASES = {
  old: [
    'numpy==1.23.5',
    'scipy==1.10.1',
    'pandas==1.5.3',
    'scikit-learn==1.2.2',
    'matplotlib==3.7.5',
    'setuptools==69.0.0',
  ],
  new: ['numpy', 'scipy', 'pandas', 'scikit-learn', 'matplotlib', 'narwhals'],
  onnx: [
    ...['numpy', 'pandas', 'scikit-learn', 'lightgbm', 'xgboost-cpu', 'torch'],
    ...['onnx', 'onnxscript', 'skl2onnx', 'onnxmltools', 'flatbuffers', 'protobuf', 'sympy', 'coloredlogs'],
  ],
};

/** As far as the registry has them for the machine's Python. */
const VERSIONS = {
  xgboost: ['1.0.2', '1.2.1', '1.3.3', '1.4.2', '1.5.2', '1.6.2', '1.7.6', '2.0.3', '2.1.4', '3.0.5', '3.1.3', NEWEST],
  lightgbm: ['3.0.0', '3.2.1', '3.3.5', '4.0.0', '4.3.0', '4.6.0', NEWEST],
  catboost: ['1.2', '1.2.3', '1.2.5', '1.2.8', NEWEST],
  onnx: ['1.22.1', NEWEST],
};
/** Where a format has another name than the package whose versions count. The converters for ONNX are the newest. */
const PACKAGES = { onnx: 'onnxruntime' };

/** The cases that the repository keeps. Versions that differ from their neighbours in form or arithmetic have their own. */
const KEPT = {
  'xgboost-1.2.1': 'logitraw,squarederror,dart-softprob,linear-softprob',
  'xgboost-1.5.2': 'logistic-forest',
  'xgboost-2.1.4': 'vector-leaves,logistic-sets',
  'xgboost-newest':
    'logistic-early,logistic-missing,softprob-sets,hinge,aft,reg-logistic,dart,dart-softprob,linear-logistic,linear-softprob,linear-poisson,labels,vector-leaves,vector-classes,several-outputs',
  'lightgbm-3.0.0': 'binary-sets,multiclassova,rf-multiclass',
  'lightgbm-newest':
    'binary-no-missing,binary-zero,binary-zero-categories,binary-one-hot,binary-early,dart,rf,goss,multiclassova,cross-entropy,cross-entropy-lambda,regression-sqrt,poisson,lambdarank,linear-tree',
  'onnx-newest': [
    'logistic,logistic-plain,logistic-columns,logistic-double,softmax,one-vs-rest,ridge-classifier,sgd,linear-svc,linear-several,poisson',
    'imputed,one-hot,ordinal-linear,svc-rbf,nu-svc,svr-linear,svc-probability,mlp,mlp-multi,mlp-number,normalized,neighbours',
    'tree,tree-scaled,tree-labels,forest,forest-codes,forest-multi,forest-several,forest-double,forest-words,forest-ranks,forest-imputed,boosting,histogram-multi',
    'lightgbm,lightgbm-multi,lightgbm-poisson,lightgbm-codes,xgboost,xgboost-multi,xgboost-poisson,torch-binary,torch-script',
    'modes,modes-average,modes-classes,modes-logistic,modes-two,modes-positive,modes-minimum,trees,trees-double,trees-scaled,trees-codes',
  ].join(','),
  'catboost-newest':
    'logloss-nan-max,logloss-categories,logloss-lossguide,logloss-words,multiclass-words,one-vs-all,rmse-scaled,poisson,multi-rmse,multi-logloss,uncertainty,ctrs,threshold',
};
const KEPT_ROWS = 60;

function run(command, args, env = {}) {
  const { status, error, stderr } = spawnSync(command, args, {
    cwd: SCRIPTS,
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore', ...env },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.slice(-2000)}`);
}

function provideBase(name) {
  const python = join(CACHE, `base-${name}`, 'bin', 'python');
  if (existsSync(python)) return python;
  mkdirSync(CACHE, { recursive: true });
  run('python3', ['-m', 'venv', join(CACHE, `base-${name}`)]);
  run(python, ['-m', 'pip', 'install', '--quiet', ...BASES[name], ...COMMON]);
  return python;
}

function provideVersion(python, library, version) {
  const folder = join(CACHE, `${library}-${version}`);
  if (existsSync(folder) && version !== NEWEST) return folder;
  const own = PACKAGES[library] ?? library;
  const name = version === NEWEST ? own : `${own}==${version}`;
  run(python, ['-m', 'pip', 'install', '--quiet', '--upgrade', '--no-deps', '--target', folder, name]);
  return folder;
}

/** Fills a folder with the models of one version. Further arguments go to the script. */
function makeModels(library, version, folder, args = []) {
  const python = provideBase(BASES[library] ? library : version === NEWEST ? 'new' : 'old');
  const installed = provideVersion(python, library, version);
  mkdirSync(folder, { recursive: true });
  run(python, [`fit_${library}.py`, folder, ...args], { PYTHONPATH: installed });
}

/** A folder with a folder of models for each version. */
export function makeAllModels() {
  const root = join(CACHE, 'models');
  rmSync(root, { recursive: true, force: true });
  for (const [library, versions] of Object.entries(VERSIONS))
    for (const version of versions) {
      console.log(`${library} ${version}`);
      makeModels(library, version, join(root, `${library}-${version}`));
    }
  return root;
}

/** `only`: a library. */
function keepFixtures(only = '') {
  for (const [name, cases] of Object.entries(KEPT).filter(([own]) => own.startsWith(only))) {
    const [library, version] = name.split('-');
    rmSync(join(FIXTURES, name), { recursive: true, force: true });
    const made = mkdtempSync(join(tmpdir(), 'elsewise-fixtures-'));
    makeModels(library, version, made, ['--rows', String(KEPT_ROWS), '--only', cases]);
    const kept = join(FIXTURES, name);
    mkdirSync(kept, { recursive: true });
    for (const file of readdirSync(made))
      writeFileSync(join(kept, `${file}.gz`), gzipSync(readFileSync(join(made, file)), { level: 9 }));
    rmSync(made, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) keepFixtures(process.argv[2]);
