/**
 * Plausibility, for each method a measure:
 *
 *   isolation-forest   value(x) = Σ over trees of an isolation forest of the path length at x's leaf
 *   density            density.ts
 *   autoencoder        reconstruction.ts
 *   prototype          prototype.ts
 *
 * `atLeast` is a limit:  value(x) >= need.  `need` is the `atLeast` quantile of the samples' own values. A fraction of at least 1 - atLeast of the samples
 * meets the limit. `weight` adds a term to the cost. Without both keys, an isolation forest of the document gives its offset as `need`. The forest reads the model's columns before
 * preprocessing. The model's imputer replaces a missing value. Without an imputer the split decides. The penalty is the anomaly
 * score 2^(-mean path length), in path lengths of the average.
 */
import type { PlausibilityDocument } from '../../documents/policy-document.js';
import { type Bounds, beyondBound } from '../../models/bounds.js';
import type { LoadedModel } from '../../models/load.js';
import { ownColumns } from '../../models/preprocessing.js';
import type { TreesAtom } from '../../models/region.js';
import { onColumns } from '../../models/trees/forest-columns.js';
import { trainIsolationForest } from '../../models/trees/isolation-training.js';
import { type Forest, flatten, leafOf } from '../../models/trees/tree.js';
import { BackgroundValues, backgroundColumns, backgroundWhereAsked, plausibilityError } from './background-columns.js';
import { compileDensity } from './density.js';
import { termOf } from './limit-and-term.js';
import {
  forEveryTarget,
  type Measure,
  type PlausibilityLimit,
  type TargetPlausibility,
} from './plausibility-measure.js';
import { compilePrototype } from './prototype.js';
import { compileAutoencoder } from './reconstruction.js';

/** The rounding error of a sum of path lengths. */
const SLACK = 1e-9;

/** Operations for one tree. */
const FLOPS_PER_TREE = 70;

class Normality implements Measure {
  private readonly columns: Float64Array;
  private readonly trees: number;
  readonly flops: number;

  constructor(
    readonly forest: Forest,
    private readonly imputed: Float64Array,
  ) {
    this.columns = new Float64Array(imputed.length);
    this.trees = forest.root.length;
    this.flops = FLOPS_PER_TREE * this.trees;
  }

  value(columns: Float64Array): number {
    for (let c = 0; c < columns.length; c++) this.columns[c] = Number.isNaN(columns[c]) ? this.imputed[c] : columns[c];
    return normality(this.forest, this.columns);
  }

  /** An upper bound over a box: each tree contributes its best leaf among the leaves that intersect the box. */
  readonly mostWithin = (lower: Float64Array, upper: Float64Array): number => {
    let sum = 0;
    for (const root of this.forest.root) sum += this.bestLeaf(root, lower, upper);
    return sum;
  };

  /** A bound that is NaN intersects both sides of a split. */
  private bestLeaf(node: number, lower: Float64Array, upper: Float64Array): number {
    const { left, right, feature, threshold, value } = this.forest;
    if (left[node] < 0) return value[node];
    const [low, high] = [lower[feature[node]], upper[feature[node]]];
    const below = low > threshold[node] ? Number.NEGATIVE_INFINITY : this.bestLeaf(left[node], lower, upper);
    return high < threshold[node] ? below : Math.max(below, this.bestLeaf(right[node], lower, upper));
  }

  penaltyOf(value: number): number {
    return 2 ** (-value / this.trees);
  }

  penaltySlope(value: number): number {
    return (-Math.LN2 / this.trees) * this.penaltyOf(value);
  }

  /** The condition as an atom: splits are `column <= threshold`. */
  limit(need: number): ForestLimit {
    const { forest, imputed } = this;
    const margins = [{ gain: forest.value, need }];
    const atom: TreesAtom = { kind: 'trees', forest, margins, slack: SLACK, map: null, imputed };
    return { atom, need, holds: (columns) => this.value(columns) >= need, flops: this.flops };
  }
}

interface ForestLimit extends PlausibilityLimit {
  readonly atom: TreesAtom;
  readonly need: number;
}

/** The sum, always in the order of the trees. Equal points therefore get bitwise equal sums. */
export function normality(forest: Forest, columns: Float64Array): number {
  let sum = 0;
  for (let t = 0; t < forest.root.length; t++) sum += forest.value[leafOf(forest, t, columns)];
  return sum;
}

/** A cache of forests. Relaxations compile the same policy many times with entries left out, and the forest stays the same. */
const trained = new WeakMap<LoadedModel, Map<string, TargetPlausibility>>();

export function compilePlausibility(document: PlausibilityDocument | undefined, loaded: LoadedModel) {
  if (!document) return null;
  const known = trained.get(loaded) ?? new Map<string, TargetPlausibility>();
  trained.set(loaded, known);
  const key = JSON.stringify(document);
  const compiled = known.get(key) ?? compile(document, loaded);
  known.set(key, compiled);
  return compiled;
}

function compile(document: PlausibilityDocument, loaded: LoadedModel): TargetPlausibility {
  const { method, atLeast, weight } = document;
  if (atLeast === undefined && weight === undefined && !hasOwnOffset(document, loaded)) {
    const brought = method === 'isolation-forest' ? ' where the model brings no background.isolationForest' : '';
    throw plausibilityError('.atLeast', `is needed, or "weight"${brought}`);
  }
  return COMPILE[method](document, loaded);
}

const hasOwnOffset = ({ method }: PlausibilityDocument, { background }: LoadedModel): boolean =>
  method === 'isolation-forest' && background.isolationForest !== null;

const COMPILE: Record<PlausibilityDocument['method'], typeof compile> = {
  'isolation-forest': compileForest,
  density: compileDensity,
  autoencoder: compileAutoencoder,
  prototype: compilePrototype,
};

function compileForest(document: PlausibilityDocument, loaded: LoadedModel): TargetPlausibility {
  const { atLeast, weight } = document;
  const brought = loaded.background.isolationForest;
  const rows = atLeast === undefined && brought ? sharesOf(document, loaded) : backgroundColumns(loaded);
  const measure = new Normality(forestOf(document, rows, loaded), loaded.preprocessing.imputed);
  const term = termOf(measure, weight);
  if (atLeast === undefined && weight === undefined) {
    const { offset, forest } = brought!;
    return forEveryTarget({ limit: measure.limit(needOf(offset, forest.root.length)), term });
  }
  if (!rows) return forEveryTarget({ limit: null, term });
  const values = new BackgroundValues(rows.map((row) => normality(measure.forest, row)));
  const limit = atLeast === undefined ? null : measure.limit(values.quantile(atLeast));
  return forEveryTarget({ limit, term, shareOf: (columns) => values.shareUpTo(measure.value(columns)) });
}

/** The rows with which a policy that has only a term reports shares. None if there are too few rows. */
const sharesOf = ({ weight }: PlausibilityDocument, loaded: LoadedModel): Float64Array[] | null =>
  weight === undefined ? null : backgroundWhereAsked(loaded, undefined);

function forestOf(document: PlausibilityDocument, rows: Float64Array[] | null, loaded: LoadedModel): Forest {
  const brought = loaded.background.isolationForest;
  const [trees, sampleSize] = brought ? [brought.forest.root.length, 0] : [document.trees, document.sampleSize];
  if (rows) checkWork(trees, rows.length, sampleSize, loaded.bounds);
  if (brought) return plain(brought.forest, loaded.space.columns);
  return flatten(trainIsolationForest(rows!, document), loaded.space.columns, 'policy.plausibility');
}

/** Work: each tree scores all samples once, and at each of its levels splits the samples from which the tree is grown. */
function checkWork(trees: number, samples: number, sampleSize: number, { plausibilityLooks }: Bounds): void {
  const grown = Math.min(sampleSize, samples);
  const looks = trees * (samples + grown * Math.ceil(Math.log2(Math.max(2, grown))));
  if (looks <= plausibilityLooks) return;
  const most = Math.floor((plausibilityLooks * trees) / looks);
  const message = `${trees} trees over ${samples} samples are too many; at most ${most} trees fit`;
  throw beyondBound('policy.plausibility.trees', message, 'plausibilityLooks');
}

/** The forest has no splits by sets of categories, so each split has a threshold. */
const plain = (forest: Forest, columns: number): Forest => onColumns(forest, ownColumns(columns), () => 0);

/** The sum of path lengths at which -2^(-mean) equals the offset. */
function needOf(offset: number, trees: number): number {
  return offset < 0 ? -trees * Math.log2(-offset) : Infinity;
}
