/** The Python that has scikit-learn, for the tests which compare our scores with those of the source library. */
import { spawnSync } from 'node:child_process';
import { installPackage, Missing, mayInstall } from './system.mjs';

const CANDIDATES = ['/usr/bin/python3', 'python3'];

/** PYTHON if it is set and has scikit-learn, else the first candidate that has, installed if need be. */
export function providePython() {
  const chosen = process.env.PYTHON;
  if (chosen) {
    if (hasSklearn(chosen)) return chosen;
    throw new Missing(`PYTHON (${chosen}) cannot import sklearn and numpy`);
  }
  return findPython() ?? installPython();
}

export function findPython() {
  return CANDIDATES.find(hasSklearn);
}

function installPython() {
  const advice = 'install python3-sklearn, or set PYTHON to an interpreter that has scikit-learn';
  if (!mayInstall()) throw new Missing(`no Python with scikit-learn: ${advice}`);
  installPackage('python3-sklearn');
  const python = findPython();
  if (!python) throw new Missing(`no Python can import sklearn after its installation: ${advice}`);
  return python;
}

function hasSklearn(python) {
  return spawnSync(python, ['-c', 'import sklearn, numpy'], { stdio: 'ignore' }).status === 0;
}
