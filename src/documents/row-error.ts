/** The faults of a row: every field that does not fit the model, not only the first. */
import { ElsewiseError, type PlacedFault } from './error.js';

export type RowFault = PlacedFault;

/** Path and message are those of the first fault. */
export class RowError extends ElsewiseError {
  constructor(faults: readonly RowFault[]) {
    super('bad-row', faults[0].message, faults[0].path, faults);
  }
}

/** The faults that an error tells. */
export function faultsOf(error: ElsewiseError): readonly RowFault[] {
  return error instanceof RowError ? error.faults : [{ path: error.path, message: error.detail }];
}

/** All faults in one line. */
export function faultsInWords(faults: readonly RowFault[]): string {
  return faults.map(({ path, message }) => [path, message].filter(Boolean).join(': ')).join('; ');
}
