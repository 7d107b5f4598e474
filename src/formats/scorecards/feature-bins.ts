/**
 * The rows of one feature as a term:
 *
 *   intervals    sorted, each begins where the one before ends; the first and the last are open
 *   categories   each once; (other) for all that are not named
 *   special      a code has points of its own, cut out of its interval:  [code, next number)
 */

import { nextUp } from '../../linalg/floats.js';
import type { TermDocument } from '../../models/additive/term-document.js';
import { rowFault, type ScorecardRow } from './scorecard-row.js';

/** A row whose values are of one kind. */
type RowOf<K extends ScorecardRow['values']['kind']> = ScorecardRow & { readonly values: { readonly kind: K } };
type Interval = ScorecardRow & { readonly values: { kind: 'interval'; from: number; to: number } };
type Listed = ScorecardRow & { readonly values: { kind: 'categories'; names: readonly string[] } };

export interface FeatureBins {
  readonly term: TermDocument;
  /** The categories in the order of the file. Null: the feature is a number. */
  readonly categories: readonly string[] | null;
}

/** `codes`: the special codes of the scorecard. */
export function featureBins(feature: string, rows: readonly ScorecardRow[], codes: readonly string[]): FeatureBins {
  const intervals = ofKind(rows, 'interval') as Interval[];
  const listed = ofKind(rows, 'categories') as Listed[];
  const [missing, other, special] = (['missing', 'other', 'special'] as const).map((kind) => onlyOne(rows, kind));
  if (intervals.length && (listed.length || other))
    throw rowFault((listed[0] ?? other).line, `"${feature}" has intervals and categories: give one of them`);
  const ends = { ...(missing && { missing: missing.points }) };
  if (intervals.length) return { term: numberTerm(feature, intervals, special, codes, ends), categories: null };
  const categories = pointsOf(listed);
  if (!categories.size) throw rowFault(rows[0].line, `"${feature}" has no interval and no category`);
  for (const code of special ? codes : []) if (!categories.has(code)) categories.set(code, special!.points);
  const term = { feature, categories: Object.fromEntries(categories), ...(other && { other: other.points }), ...ends };
  return { term, categories: [...categories.keys()] };
}

const ofKind = <K extends ScorecardRow['values']['kind']>(rows: readonly ScorecardRow[], kind: K) =>
  rows.filter(({ values }) => values.kind === kind) as RowOf<K>[];

function onlyOne(rows: readonly ScorecardRow[], kind: 'missing' | 'other' | 'special'): ScorecardRow | undefined {
  const [first, second] = ofKind(rows, kind);
  if (second) throw rowFault(second.line, `line ${first.line} has points for the same values already`);
  return first;
}

function pointsOf(rows: readonly Listed[]): Map<string, number> {
  const points = new Map<string, number>();
  for (const { line, values, points: own } of rows)
    for (const name of values.names) {
      if (points.has(name)) throw rowFault(line, `the category "${name}" has points already`);
      points.set(name, own);
    }
  return points;
}

function numberTerm(
  feature: string,
  rows: readonly Interval[],
  special: ScorecardRow | undefined,
  codes: readonly string[],
  ends: { readonly missing?: number },
): TermDocument {
  const bins = connected(feature, rows).map(({ values: { from }, points }) => ({ from, points }));
  const numbers = special ? codes.map(Number).filter(Number.isFinite) : [];
  const all = numbers.reduce((sofar, code) => cutOut(sofar, code, special!.points), bins);
  return {
    feature,
    cuts: all.slice(1).map(({ from }) => from),
    comparison: '<',
    values: all.map(({ points }) => points),
    ...ends,
  };
}

/** The intervals in order, without gap and overlap. */
function connected(feature: string, rows: readonly Interval[]): Interval[] {
  const sorted = rows.toSorted((a, b) => a.values.from - b.values.from || a.values.to - b.values.to);
  let end = Number.NEGATIVE_INFINITY;
  for (const [
    k,
    {
      line,
      values: { from, to },
    },
  ] of sorted.entries()) {
    if (!(from < to)) throw rowFault(line, `the interval from ${from} to ${to} is empty`);
    if (from < end)
      throw rowFault(
        line,
        `the interval from ${shown(from)} to ${shown(to)} overlaps that of line ${sorted[k - 1].line}`,
      );
    if (from > end) throw rowFault(line, `no row of "${feature}" has points from ${shown(end)} to ${shown(from)}`);
    end = to;
  }
  if (end < Infinity)
    throw rowFault(
      sorted.at(-1)!.line,
      `no row of "${feature}" has points from ${end} on: leave "to" of the last row empty`,
    );
  return sorted;
}

const shown = (end: number): string => (Number.isFinite(end) ? String(end) : `${end > 0 ? '' : 'minus '}infinity`);

interface Bin {
  readonly from: number;
  readonly points: number;
}

/** The bins with points of its own for one number. */
function cutOut(bins: readonly Bin[], code: number, points: number): Bin[] {
  const before = bins.filter(({ from }) => from <= code);
  const around = before.at(-1)!;
  const start = around.from === code ? before.slice(0, -1) : before;
  const after = bins.slice(before.length).filter(({ from }) => from > nextUp(code));
  const next = bins.find(({ from }) => from === nextUp(code)) ?? { from: nextUp(code), points: around.points };
  return [...start, { from: code, points }, next, ...after];
}
