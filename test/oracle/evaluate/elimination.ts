/**
 * Linear algebra by Gaussian elimination with row exchanges on a matrix scaled to a unit diagonal:  S = D C D,  D = diag(√s_ii).
 * The condition of C, not of S, bounds what rounding may do: units do not count.
 */
export interface Inverse {
  rows: number[][];
  logDeterminant: number;
  /** How much larger than a rounding the relative error of another exact method may be. */
  condition: number;
}

export function invert(matrix: readonly (readonly number[])[]): Inverse {
  const n = matrix.length;
  const d = matrix.map((row, i) => Math.sqrt(row[i]));
  const scaled = matrix.map((row, i) => row.map((value, j) => value / d[i] / d[j]));
  const { inverse, logPivots } = eliminate(scaled);
  const norm = (rows: readonly (readonly number[])[]) =>
    Math.max(...rows.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0)));
  return {
    rows: inverse.map((row, i) => row.map((value, j) => value / d[i] / d[j])),
    logDeterminant: logPivots + d.reduce((sum, value) => sum + 2 * Math.log(value), 0),
    condition: n * norm(scaled) * norm(inverse),
  };
}

function eliminate(matrix: readonly (readonly number[])[]): { inverse: number[][]; logPivots: number } {
  const n = matrix.length;
  const work = matrix.map((row, i) => [...row, ...row.map((_, j) => +(i === j))]);
  let logPivots = 0;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(work[i][k]) > Math.abs(work[best][k])) best = i;
    [work[k], work[best]] = [work[best], work[k]];
    const pivot = work[k][k];
    logPivots += Math.log(Math.abs(pivot));
    work[k] = work[k].map((value) => value / pivot);
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = work[i][k];
      work[i] = work[i].map((value, j) => value - factor * work[k][j]);
    }
  }
  return { inverse: work.map((row) => row.slice(n)), logPivots };
}
