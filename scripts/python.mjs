/** The Python that has scikit-learn and XGBoost, for the tests which compare our scores with those of the source library. */
import { spawnSync } from 'node:child_process';
import { installPackage, Missing, mayInstall } from './system.mjs';

const CANDIDATES = ['/usr/bin/python3', 'python3'];
const MODULES = 'sklearn, numpy, xgboost';
const PACKAGES = ['python3-sklearn', 'python3-xgboost'];

/** PYTHON if it is set and has all modules, else the first candidate that has, installed if need be. */
export function providePython() {
  const chosen = process.env.PYTHON;
  if (chosen) {
    if (hasModules(chosen)) return chosen;
    throw new Missing(`PYTHON (${chosen}) cannot import ${MODULES}`);
  }
  return findPython() ?? installPython();
}

export function findPython() {
  return CANDIDATES.find(hasModules);
}

function installPython() {
  const advice = `install ${PACKAGES.join(' and ')}, or set PYTHON to an interpreter that has ${MODULES}`;
  if (!mayInstall()) throw new Missing(`no Python with ${MODULES}: ${advice}`);
  for (const name of PACKAGES) installPackage(name);
  const python = findPython();
  if (!python) throw new Missing(`no Python can import ${MODULES} after the installation: ${advice}`);
  return python;
}

function hasModules(python) {
  return spawnSync(python, ['-c', `import ${MODULES}`], { stdio: 'ignore' }).status === 0;
}
