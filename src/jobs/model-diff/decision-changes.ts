/** The decisions of two versions of a model for the same rows. */
import { showValue } from '../../models/features.js';
import { type LoadedModel, Scorer } from '../../models/load.js';
import { readRecord } from '../../models/read-row.js';
import type { Versions } from './model-diff.js';

export interface ChangedDecision extends Versions<string | number> {
  readonly id: string;
}

export interface DecisionChanges {
  readonly rows: number;
  /** Rows that the second version cannot read. */
  readonly unreadable: number;
  /** Rows with another class; for a regressor, with another prediction. */
  readonly changed: number;
  /** The number of rows by `before -> after`. Empty for a regressor. */
  readonly moves: Readonly<Record<string, number>>;
  /** The largest change of a score of a class of both versions, or of a prediction. */
  readonly largestChange: number;
  readonly first: readonly ChangedDecision[];
}

const MOST_NAMED = 10;

interface NamedRow {
  readonly id: string;
  readonly values: Float64Array;
}

/** `rows`: by the features of the first version. A value that the first version does not know is missing for the second. */
export function decisionChanges(before: LoadedModel, after: LoadedModel, rows: readonly NamedRow[]): DecisionChanges {
  const [one, other] = [new Scorer(before), new Scorer(after)];
  const values = new Float64Array(after.space.features.length);
  const moves = new Map<string, number>();
  const first: ChangedDecision[] = [];
  let [unreadable, changed, largestChange] = [0, 0, 0];
  for (const row of rows) {
    if (!translate(before, after, row.values, values)) {
      unreadable++;
      continue;
    }
    one.runValues(row.values);
    other.runValues(values);
    largestChange = Math.max(largestChange, changeOf(one, other));
    const decisions = { before: decisionOf(one, row.values), after: decisionOf(other, values) };
    if (decisions.before === decisions.after) continue;
    changed++;
    if (first.length < MOST_NAMED) first.push({ id: row.id, ...decisions });
    if (before.classes.length) count(moves, `${decisions.before} -> ${decisions.after}`);
  }
  const byCount = [...moves].sort((a, b) => b[1] - a[1]);
  return { rows: rows.length, unreadable, changed, moves: Object.fromEntries(byCount), largestChange, first };
}

function translate(before: LoadedModel, after: LoadedModel, from: Float64Array, to: Float64Array): boolean {
  const raw = after.space.features.map(({ name }) => {
    const known = before.space.byName.get(name);
    return known && showValue(known, from[known.index]);
  });
  try {
    readRecord(after, raw, to);
    return true;
  } catch {
    return false;
  }
}

function decisionOf(scorer: Scorer, values: Float64Array): string | number {
  const { classes } = scorer.loaded;
  return classes.length ? classes[scorer.decide(values)] : scorer.scores[0];
}

function changeOf(one: Scorer, other: Scorer): number {
  const [a, b] = [one.show(), other.show()];
  if (!one.loaded.classes.length) return Math.abs(a[0] - b[0]);
  return one.loaded.classes.reduce((most, label, k) => {
    const j = other.loaded.classes.indexOf(label);
    return j < 0 ? most : Math.max(most, Math.abs(a[k] - b[j]));
  }, 0);
}

const count = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};
