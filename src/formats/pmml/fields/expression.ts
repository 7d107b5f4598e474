/**
 * Fields and transformations of PMML as functions of one column. A function f of a number is described by its cuts: between two cuts
 * f never falls or never rises, as computed. The numbers where f passes a value v are then found in the arithmetic of f itself:
 *
 *   first x of a piece with f(x) >= v,  first x with f(x) > v        comparisons of f with v are constant between these and the cuts
 *
 * A function of a category is a table. Functions of two columns are refused.
 */
import { lastDouble, nextUp } from '../../../linalg/floats.js';
import type { XmlElement } from '../xml/xml-element.js';
import { castOf, type Scalar, type ValueType } from './scalar.js';

/** A column that people know: a feature of the document. */
export type Source = NumberSource | CategorySource;

interface CommonSource {
  readonly name: string;
  readonly index: number;
  /** The value that a missing one counts as. Null: it stays missing. */
  readonly fill: Scalar;
  /** Whether a missing value is invalid, whatever the model does with it. */
  readonly isRequired: boolean;
}

export interface NumberSource extends CommonSource {
  readonly kind: 'number';
  readonly isSingle: boolean;
  readonly isWhole: boolean;
}

export interface CategorySource extends CommonSource {
  readonly kind: 'category';
  readonly isBoolean: boolean;
  /** By category: its value in the type of the field. */
  readonly values: readonly Scalar[];
}

/** A place where a function of a number changes: at `start`, the first double beyond it. */
export interface Cut {
  readonly start: number;
  /** The number of the file. The cut lies before it, or behind it. */
  readonly value: number;
  readonly isThrough: boolean;
  /** Whether values are compared in float32. */
  readonly isSingle: boolean;
  /** Whether only whole numbers are compared: the next number is the next whole one. */
  readonly isWhole: boolean;
}

/** f(x) = slope x + offset for every present x. A missing value counts as `fill`, or as missing. */
export interface Line {
  readonly slope: number;
  readonly offset: number;
  readonly fill: number | null;
}

export interface FieldFunction {
  readonly type: ValueType;
  /** Null: a constant. */
  readonly source: Source | null;
  readonly at: (value: Scalar) => Scalar;
  readonly cuts: readonly Cut[];
  /** Whether the function is constant between cuts. A function of a category is. */
  readonly isStep: boolean;
  readonly line: Line | null;
  /** Whether the function is the number of the column itself. */
  readonly isPlain: boolean;
}

export const constant = (value: Scalar, type: ValueType): FieldFunction => ({
  type,
  source: null,
  at: () => value,
  cuts: [],
  isStep: true,
  line: null,
  isPlain: false,
});

/** The value of a column, as a row has it. */
export function columnOf(source: Source, type: ValueType): FieldFunction {
  const common = { type, source, cuts: [], isPlain: source.kind === 'number' };
  if (source.kind === 'category') return { ...common, at: (value) => value, isStep: true, line: null };
  const round = (value: Scalar) => (value === null ? null : Math.fround(value as number));
  const at = source.isSingle ? round : (value: Scalar) => value;
  return { ...common, at, isStep: false, line: { slope: 1, offset: 0, fill: null } };
}

/** The one source of some expressions. */
export function commonSource(parts: readonly FieldFunction[], element: XmlElement): Source | null {
  const sources = new Set(parts.flatMap(({ source }) => source ?? []));
  const [first = null] = sources;
  if (sources.size <= 1) return first;
  const names = [...sources].map(({ name }) => name).join(', ');
  throw element.refusal(`a function of several fields (${names}): compute it before the model, as a field of its own`);
}

/** A function of the values of expressions. Between its own cuts it must be monotone in each of them. */
export function compose(
  type: ValueType,
  parts: readonly FieldFunction[],
  combine: (values: readonly Scalar[]) => Scalar,
  element: XmlElement,
  { cuts = [], isStep = false, line = null }: Partial<Pick<FieldFunction, 'cuts' | 'isStep' | 'line'>> = {},
): FieldFunction {
  const source = commonSource(parts, element);
  const bent = parts.filter((part) => !part.isStep);
  if (bent.length > 1 && !isStep)
    throw element.refusal(
      `a function that reads "${source?.name}" several times: compute it before the model, as a field of its own`,
    );
  return {
    type,
    source,
    at: (value) => combine(parts.map((part) => part.at(value))),
    cuts: mergeCuts([...parts.flatMap((part) => part.cuts), ...cuts]),
    isStep: isStep || !bent.length,
    line,
    isPlain: false,
  };
}

export function castTo(expression: FieldFunction, type: ValueType, element: XmlElement): FieldFunction {
  if (expression.type === type) return expression;
  const cast = castOf(expression.type, type);
  if (!cast) throw element.refusal(`a cast from ${expression.type} to ${type}: give the field the type of its values`);
  const isSame = type === 'double';
  const kept = isSame ? { line: expression.line } : {};
  const result = compose(type, [expression], ([value]) => cast(value), element, kept);
  return { ...result, isPlain: isSame && expression.isPlain };
}

export function mergeCuts(cuts: readonly Cut[]): Cut[] {
  const sorted = cuts.toSorted((a, b) => a.start - b.start);
  return sorted.filter(({ start }, k) => k === 0 || start !== sorted[k - 1].start);
}

/** The cuts at which a comparison of an expression with a number may change. */
export function cutsAt(expression: FieldFunction, value: number): Cut[] {
  const { source, isPlain, isStep, cuts } = expression;
  if (source?.kind !== 'number' || isStep) return [];
  if (isPlain) return plainCuts(value, source);
  const starts = [Number.NEGATIVE_INFINITY, ...cuts.map(({ start }) => start)];
  return starts.flatMap((from, k) => {
    const to = starts[k + 1] ?? Number.POSITIVE_INFINITY;
    return [
      firstBeyond(expression, from, to, (own) => own >= value),
      firstBeyond(expression, from, to, (own) => own > value),
    ].flatMap((start) =>
      start === null ? [] : { start, value: start, isThrough: false, isSingle: false, isWhole: false },
    );
  });
}

function plainCuts(value: number, { isSingle, isWhole: ofWhole }: NumberSource): Cut[] {
  const isWhole = ofWhole && Number.isSafeInteger(value);
  const ends = isSingle
    ? [firstDouble((x) => Math.fround(x) >= value, value), firstDouble((x) => Math.fround(x) > value, value)]
    : [value, isWhole ? value + 1 : nextUp(value)];
  return ends.map((start, k) => ({ start, value, isThrough: k === 1, isSingle, isWhole }));
}

const firstDouble = (isBeyond: (x: number) => boolean, guess: number): number =>
  nextUp(lastDouble((x) => !isBeyond(x), guess));

/** The first x from which on a condition on a monotone piece is another than at its beginning. Null: it does not change. */
function firstBeyond(
  { at, line }: FieldFunction,
  from: number,
  to: number,
  holds: (own: number) => boolean,
): number | null {
  const first = Math.max(from, -Number.MAX_VALUE);
  const before = holds(at(first) as number);
  const isSame = (x: number) => x < first || (x < to && holds(at(x) as number) === before);
  const guess = line && line.slope !== 0 ? -line.offset / line.slope : Math.max(first, Math.min(0, to));
  const last = lastDouble(isSame, Number.isFinite(guess) ? guess : 0);
  if (!Number.isFinite(last)) return null;
  const start = nextUp(last);
  return start < to && start > first ? start : null;
}

/** The value in each piece between cuts, of a step function of a number. */
export function piecesOf<T>(cuts: readonly Cut[], at: (value: number) => T): T[] {
  return [Number.NEGATIVE_INFINITY, ...cuts.map(({ start }) => start)].map((start) =>
    at(Math.max(start, -Number.MAX_VALUE)),
  );
}
