/** Several faults of a document as one error, and checks that go on after a fault. */
import { ENOUGH_FAULTS } from '../collections.js';
import { ElsewiseError, type ErrorCode, type PlacedFault } from '../error.js';

const MAX_FAULTS_SHOWN = 5;

/** The error with all faults. Its message tells the first ones. */
export function refusalOf(faults: readonly PlacedFault[], code: ErrorCode = 'bad-document'): ElsewiseError {
  const [first, ...others] = faults.slice(0, MAX_FAULTS_SHOWN);
  const rest = others.map((fault) => `\n${fault.path}: ${fault.message}`).join('');
  return new ElsewiseError(code, `${first.message}${rest}${countHidden(faults.length)}`, first.path, faults);
}

function countHidden(faults: number): string {
  if (faults <= MAX_FAULTS_SHOWN) return '';
  return faults < ENOUGH_FAULTS ? `\n(and ${faults - MAX_FAULTS_SHOWN} more)` : '\n(and more)';
}

/** The first faults of a check that may find any number of them. */
export function firstOf<T>(faults: Iterable<T>): T[] {
  const first: T[] = [];
  for (const fault of faults) if (first.push(fault) >= ENOUGH_FAULTS) break;
  return first;
}

/** The faults that a check throws. Empty: the check passes. */
export function faultsOfCheck(check: () => unknown): readonly PlacedFault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    return error.faults.length ? error.faults : [{ path: error.path, message: error.detail }];
  }
}

/** Refuses the first fault. */
export function refuseFirst(faults: Iterable<PlacedFault>): void {
  for (const { path, message } of faults) throw new ElsewiseError('bad-document', message, path);
}
