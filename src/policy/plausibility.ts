/**
 * Plausibility: an answer must be at least as plausible as a share of the background is,  value(x) >= need.
 *
 *   isolation-forest   value(x) = Σ over trees of an isolation forest of the path length at x's leaf
 *   density            density.ts
 *   autoencoder        reconstruction.ts
 *
 * `need` is the `atLeast` quantile of the samples' own values, which makes at least 1 - atLeast of the samples plausible.
 * Where the policy leaves `atLeast` out, the offset of the document's own forest is `need`. The forest reads the model's columns before
 * preprocessing. The model's imputer replaces a missing value. Without an imputer the split decides.
 */
import type { PlausibilityDocument } from '../documents/policy-document.js';
import { type Bounds, beyondBound } from '../models/bounds.js';
import type { LoadedModel } from '../models/load.js';
import type { TreesAtom } from '../models/region.js';
import { onColumns } from '../models/trees/forest-columns.js';
import { trainIsolationForest } from '../models/trees/isolation-training.js';
import { type Forest, flatten, leafOf } from '../models/trees/tree.js';
import { BackgroundValues, backgroundColumns, plausibilityError } from './background-columns.js';
import { compileDensity } from './density.js';
import type { Plausibility } from './plausibility-measure.js';
import { compileAutoencoder } from './reconstruction.js';

/** How far rounding may move a sum of path lengths. */
const SLACK = 1e-9;

class Normality implements Plausibility {
  /** The condition as an atom: splits are `column <= threshold`. */
  readonly atom: TreesAtom;
  readonly shareOf?: (columns: Float64Array) => number;
  private readonly columns: Float64Array;

  constructor(
    readonly forest: Forest,
    readonly need: number,
    private readonly imputed: Float64Array,
    values?: BackgroundValues,
  ) {
    const margins = [{ gain: forest.value, need }];
    this.atom = { kind: 'trees', forest, margins, slack: SLACK, map: null, imputed };
    this.columns = new Float64Array(imputed.length);
    if (values) this.shareOf = (columns) => values.shareUpTo(this.normalityOf(columns));
  }

  holds(columns: Float64Array): boolean {
    return this.normalityOf(columns) >= this.need;
  }

  private normalityOf(columns: Float64Array): number {
    for (let c = 0; c < columns.length; c++) this.columns[c] = Number.isNaN(columns[c]) ? this.imputed[c] : columns[c];
    return normality(this.forest, this.columns);
  }
}

/** The sum in tree order, wherever it is made: what is compared must be the same number. */
export function normality(forest: Forest, columns: Float64Array): number {
  let sum = 0;
  for (let t = 0; t < forest.root.length; t++) sum += forest.value[leafOf(forest, t, columns)];
  return sum;
}

/** Policies are compiled again and again with parts left out; the forest stays. */
const trained = new WeakMap<LoadedModel, Map<string, Plausibility>>();

export function compilePlausibility(document: PlausibilityDocument | undefined, loaded: LoadedModel) {
  if (!document) return null;
  const known = trained.get(loaded) ?? new Map<string, Plausibility>();
  trained.set(loaded, known);
  const key = JSON.stringify(document);
  const compiled = known.get(key) ?? compile(document, loaded);
  known.set(key, compiled);
  return compiled;
}

const compile = (document: PlausibilityDocument, loaded: LoadedModel): Plausibility =>
  COMPILE[document.method](document, loaded);

const COMPILE: Record<PlausibilityDocument['method'], typeof compileForest> = {
  'isolation-forest': compileForest,
  density: compileDensity,
  autoencoder: compileAutoencoder,
};

function compileForest(document: PlausibilityDocument, loaded: LoadedModel): Plausibility {
  const { imputed } = loaded.preprocessing;
  const brought = loaded.background.isolationForest;
  if (document.atLeast === undefined) {
    if (!brought) throw plausibilityError('.atLeast', 'is needed where the model brings no background.isolationForest');
    return new Normality(plain(brought.forest), needOf(brought.offset, brought.forest.root.length), imputed);
  }
  const rows = backgroundColumns(loaded);
  const [trees, sampleSize] = brought ? [brought.forest.root.length, 0] : [document.trees, document.sampleSize];
  checkWork(trees, rows.length, sampleSize, loaded.bounds);
  const forest = brought
    ? plain(brought.forest)
    : flatten(trainIsolationForest(rows, document), loaded.space.columns, 'policy.plausibility');
  const values = new BackgroundValues(rows.map((row) => normality(forest, row)));
  return new Normality(forest, values.quantile(document.atLeast), imputed, values);
}

/** Every tree looks at all samples once, and at each level of its own at those that it is grown from. */
function checkWork(trees: number, samples: number, sampleSize: number, { plausibilityLooks }: Bounds): void {
  const grown = Math.min(sampleSize, samples);
  const looks = trees * (samples + grown * Math.ceil(Math.log2(Math.max(2, grown))));
  if (looks <= plausibilityLooks) return;
  const most = Math.floor((plausibilityLooks * trees) / looks);
  const message = `${trees} trees over ${samples} samples are too many; at most ${most} trees fit`;
  throw beyondBound('policy.plausibility.trees', message, 'plausibilityLooks');
}

/** Without sets of categories there is always a threshold. */
const plain = (forest: Forest): Forest =>
  onColumns(
    forest,
    (_, value) => value,
    () => 0,
  );

/** The sum of path lengths at which -2^(-mean) is the offset. */
function needOf(offset: number, trees: number): number {
  return offset < 0 ? -trees * Math.log2(-offset) : Infinity;
}
