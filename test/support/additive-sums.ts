/** Scores of additive documents, term by term as a page of a scorecard is read. It shares no code with the product. */
import type { RowValue } from '../../src/documents/model-document.js';

type Score = number | number[];
type Row = Readonly<Record<string, RowValue>>;

interface Axis {
  cuts?: number[];
  comparison?: string;
  categories?: string[];
  other?: boolean;
  missing?: boolean;
}

interface SumTerm extends Omit<Axis, 'categories' | 'other' | 'missing'> {
  feature?: string;
  features?: string[];
  axes?: Axis[];
  values?: unknown[];
  categories?: Record<string, Score>;
  other?: Score;
  missing?: Score;
}

export interface AdditiveParameters {
  intercept: Score;
  terms: SumTerm[];
  link?: string;
  threshold?: number;
  odds?: { points: number; odds: number; double: number };
}

/** The sums in the order of the terms: one, or one for each class. Undefined: a value is missing where it has no score. */
export function additiveSums({ intercept, terms }: AdditiveParameters, row: Row): number[] | undefined {
  const sums = [intercept].flat();
  for (const term of terms) {
    const score = termScore(term, row);
    if (score === undefined) return undefined;
    [score].flat().forEach((part, k) => {
      sums[k] += part;
    });
  }
  return sums;
}

function termScore(term: SumTerm, row: Row): Score | undefined {
  if (term.features) {
    const at = term.features.map((name, k) => placeOf(term.axes![k], row[name]));
    return at.reduce<unknown>(
      (part, k) => (k === undefined ? undefined : (part as unknown[])?.[k]),
      term.values,
    ) as Score;
  }
  const value = row[term.feature!];
  if (value === null || value === undefined) return term.missing;
  if (term.categories)
    return Object.hasOwn(term.categories, String(value)) ? term.categories[String(value)] : term.other;
  return (term.values as Score[])[binOf(term as Axis, Number(value))];
}

function placeOf(axis: Axis, value: RowValue | undefined): number | undefined {
  const own = axis.categories ? axis.categories.length : axis.cuts!.length + 1;
  if (value === null || value === undefined) return axis.missing ? own + (axis.other ? 1 : 0) : undefined;
  if (!axis.categories) return binOf(axis, Number(value));
  const at = axis.categories.indexOf(String(value));
  return at >= 0 ? at : own;
}

function binOf({ cuts, comparison = '<' }: Axis, value: number): number {
  const at = cuts!.findIndex((cut) => (comparison === '<' ? value < cut : value <= cut));
  return at < 0 ? cuts!.length : at;
}

/** The number of the predicted class, as documented. */
export function additiveClass({ link, threshold, odds }: AdditiveParameters, sums: number[]): number {
  if (sums.length > 1) return sums.indexOf(Math.max(...sums));
  if (threshold === undefined) return sums[0] > 0 ? 1 : 0;
  return (link === 'logit' && !odds ? 1 / (1 + Math.exp(-sums[0])) : sums[0]) >= threshold ? 1 : 0;
}
