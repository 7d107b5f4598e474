/**
 * Isolation forests from samples (Liu, Ting, Zhou 2008). A tree gets a random part of the samples and cuts it by a random column at a
 * random place until rows are alone or the tree is as deep as a balanced tree. A normal row needs many cuts.
 *
 *   leaf value = (depth + c(rows in the leaf)) / c(rows of the tree),   c(n) = 2 H(n-1) - 2 (n-1)/n
 *
 * c(n) is the mean depth of a search tree over n rows. The seed is a constant: normality depends on the
 * samples, not on the policy. A missing value goes to the side of most rows and isolates no row by itself.
 */
import type { TreeDocument } from '../../documents/tree-document.js';
import { seededRandom } from '../../linalg/random.js';

const SEED = 20080612;

export interface ForestSize {
  readonly trees: number;
  /** The largest number of rows for each tree. */
  readonly sampleSize: number;
}

/** `rows`: the samples by column. */
export function trainIsolationForest(rows: readonly Float64Array[], { trees, sampleSize }: ForestSize): TreeDocument[] {
  const random = seededRandom(SEED);
  const size = Math.min(sampleSize, rows.length);
  return Array.from({ length: trees }, () => new TreeGrower(size, random).grow(drawRows(rows, size, random)));
}

/** Without replacement: the first steps of a Fisher-Yates shuffle. */
function drawRows(rows: readonly Float64Array[], size: number, random: () => number): Float64Array[] {
  const deck = [...rows];
  for (let i = 0; i < size; i++) {
    const j = i + Math.floor(random() * (deck.length - i));
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck.slice(0, size);
}

class TreeGrower {
  private readonly feature: number[] = [];
  private readonly threshold: number[] = [];
  private readonly left: number[] = [];
  private readonly right: number[] = [];
  private readonly value: number[][] = [];
  private readonly missing: ('left' | 'right')[] = [];
  private readonly maxDepth: number;
  private readonly unit: number;

  constructor(
    size: number,
    private readonly random: () => number,
  ) {
    this.maxDepth = Math.ceil(Math.log2(Math.max(2, size)));
    this.unit = averageDepth(size) || 1;
  }

  grow(rows: readonly Float64Array[]): TreeDocument {
    this.growNode(rows, 0);
    const { feature, threshold, left, right, value, missing } = this;
    return { feature, threshold, left, right, value, missing, comparison: '<=', precision: 'float64' };
  }

  private growNode(rows: readonly Float64Array[], depth: number): number {
    const node = this.addLeaf((depth + averageDepth(rows.length)) / this.unit);
    const ranges = depth < this.maxDepth ? openRanges(rows) : [];
    if (!ranges.length) return node;
    const { column, low, high } = ranges[Math.floor(this.random() * ranges.length)];
    const place = low + this.random() * (high - low);
    const threshold = place < high ? place : low;
    const below = rows.filter((row) => row[column] <= threshold).length;
    const above = rows.filter((row) => row[column] > threshold).length;
    const withMissing = above > below ? 'right' : 'left';
    const goesLeft = (row: Float64Array) =>
      Number.isNaN(row[column]) ? withMissing === 'left' : row[column] <= threshold;
    this.feature[node] = column;
    this.threshold[node] = threshold;
    this.missing[node] = withMissing;
    this.left[node] = this.growNode(rows.filter(goesLeft), depth + 1);
    this.right[node] = this.growNode(
      rows.filter((row) => !goesLeft(row)),
      depth + 1,
    );
    return node;
  }

  private addLeaf(value: number): number {
    this.feature.push(0);
    this.threshold.push(0);
    this.left.push(-1);
    this.right.push(-1);
    this.missing.push('left');
    return this.value.push([value]) - 1;
  }
}

interface Range {
  readonly column: number;
  readonly low: number;
  readonly high: number;
}

/** The columns in which rows differ. */
function openRanges(rows: readonly Float64Array[]): Range[] {
  const ranges: Range[] = [];
  for (let column = 0; column < (rows[0]?.length ?? 0); column++) {
    let low = Infinity;
    let high = -Infinity;
    for (const row of rows) {
      if (row[column] < low) low = row[column];
      if (row[column] > high) high = row[column];
    }
    if (low < high) ranges.push({ column, low, high });
  }
  return ranges;
}

function averageDepth(rows: number): number {
  let harmonic = 0;
  for (let i = 1; i < rows; i++) harmonic += 1 / i;
  return rows < 2 ? 0 : 2 * harmonic - (2 * (rows - 1)) / rows;
}
