/** The summary of a comparison with another library: counts, the largest difference, and the worst row. */
import type { RowFault } from '../../documents/row-error.js';
import { faultsInWords } from '../../documents/row-error.js';
import type { RowParity } from './row-parity.js';

export interface RefusedRow {
  readonly id: string;
  readonly reason: string;
}

const MOST_REFUSED = 3;

export class ParitySummary {
  compared = 0;
  decided = 0;
  /** Rows by which decisions differ, and rows whose scores differ by more than the tolerance. */
  otherDecisions = 0;
  otherScores = 0;
  withoutPrediction = 0;
  refused = 0;
  scored = 0;
  largest = 0;
  /** A row with another decision is worse than every row without one; then the largest difference is the worst. */
  worst: RowParity | undefined;
  readonly firstRefused: RefusedRow[] = [];
  /** Rows with a value at a split of a tree, or at a double beside it. */
  atThresholds = 0;

  add(row: RowParity, isAtThreshold: boolean): void {
    this.compared++;
    this.decided += +(row.decided !== null && row.givenDecision !== null);
    this.otherDecisions += +!row.decidesAlike;
    this.otherScores += +!row.isWithin;
    this.atThresholds += +isAtThreshold;
    if (row.difference !== null) {
      this.scored++;
      this.largest = Math.max(this.largest, row.difference);
    }
    if (isWorse(row, this.worst)) this.worst = row;
  }

  refuse(id: string, faults: readonly RowFault[]): void {
    this.refused++;
    if (this.firstRefused.length < MOST_REFUSED) this.firstRefused.push({ id, reason: faultsInWords(faults) });
  }

  get isAlike(): boolean {
    return this.otherDecisions === 0 && this.otherScores === 0;
  }
}

function isWorse(row: RowParity, worst: RowParity | undefined): boolean {
  if (row.decidesAlike && !row.difference) return false;
  if (!worst || row.decidesAlike !== worst.decidesAlike) return !worst || !row.decidesAlike;
  return (row.difference ?? 0) > (worst.difference ?? 0);
}
