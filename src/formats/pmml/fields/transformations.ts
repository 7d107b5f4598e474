/**
 * The transformations of PMML as functions of one column:
 *
 *   Constant, FieldRef       NormContinuous   piecewise linear:  n_i + (x - o_i) / (o_{i+1} - o_i) * (n_{i+1} - n_i)
 *   NormDiscrete             1 where x is the value, else 0
 *   Discretize, MapValues    the value of the bin or of the row of a table
 *   Apply                    functions.ts
 */

import type { XmlElement } from '../xml/xml-element.js';
import { castTo, compose, constant, cutsAt, type FieldFunction } from './expression.js';
import { applyFunction } from './functions.js';
import { parseScalar, type Scalar, typeOf, typeOfText } from './scalar.js';

/** Finds a field by its name. */
export type Lookup = (name: string, element: XmlElement) => FieldFunction;

const KINDS: Readonly<Record<string, (element: XmlElement, find: Lookup) => FieldFunction>> = {
  Constant: readConstant,
  FieldRef: readReference,
  NormContinuous: readContinuous,
  NormDiscrete: readDiscrete,
  Discretize: readBins,
  MapValues: readTable,
  Apply: readApply,
};
const OTHER_KINDS = ['TextIndex', 'Aggregate', 'Lag'];

/** The expression among the children of an element. */
export function readExpression(parent: XmlElement, find: Lookup): FieldFunction {
  return readElement(parent.oneOf([...Object.keys(KINDS), ...OTHER_KINDS]), find);
}

function readElement(element: XmlElement, find: Lookup): FieldFunction {
  if (Object.hasOwn(KINDS, element.name)) return KINDS[element.name](element, find);
  throw element.refusal(`the transformation ${element.name}; known are ${Object.keys(KINDS).join(', ')}`);
}

/** A field with its own type, computed from others. */
export function readDerived(element: XmlElement, find: Lookup): FieldFunction {
  return castTo(readExpression(element, find), typeOf(element), element);
}

function readConstant(element: XmlElement): FieldFunction {
  const type = typeOf(element, typeOfText(element.text));
  return constant(element.get('missing') === 'true' ? null : parseScalar(element.text, type, element), type);
}

function readReference(element: XmlElement, find: Lookup): FieldFunction {
  return withMissing(find(element.needs('field'), element), element);
}

/** `mapMissingTo`: the value in place of a missing value. */
function withMissing(expression: FieldFunction, element: XmlElement): FieldFunction {
  const text = element.get('mapMissingTo');
  if (text === undefined) return expression;
  const value = parseScalar(text, expression.type, element);
  const { isPlain } = expression;
  return { ...compose(expression.type, [expression], ([own]) => own ?? value, element), isPlain };
}

function readDiscrete(element: XmlElement, find: Lookup): FieldFunction {
  const field = find(element.needs('field'), element);
  const value = parseScalar(element.needs('value'), field.type, element);
  const cuts = typeof value === 'number' ? cutsAt(field, value) : [];
  const indicator = compose('double', [field], ([own]) => (own === null ? null : +(own === value)), element, {
    cuts,
    isStep: true,
  });
  return withMissing(indicator, element);
}

interface Norm {
  readonly orig: number;
  readonly norm: number;
}

function readContinuous(element: XmlElement, find: Lookup): FieldFunction {
  const field = find(element.needs('field'), element);
  const norms = element.all('LinearNorm').map((norm) => ({ orig: norm.number('orig'), norm: norm.number('norm') }));
  const wrong = norms.findIndex(({ orig }, k) => k > 0 && !(norms[k - 1].orig < orig));
  if (norms.length < 2 || wrong >= 0) throw element.fault('expected two or more LinearNorm with ascending orig');
  const outliers = element.word('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'] as const);
  const isOneLine = norms.length === 2 && outliers === 'asIs';
  const line = isOneLine && field.line ? throughNorms(field.line, norms) : null;
  const cuts = isOneLine ? [] : norms.flatMap(({ orig }) => cutsAt(field, orig));
  const at = (value: Scalar) => (value === null ? null : normalize(norms, outliers, value as number));
  return withMissing(
    compose('double', [field], ([value]) => at(value), element, { cuts, line }),
    element,
  );
}

function throughNorms({ slope, offset, fill }: NonNullable<FieldFunction['line']>, [a, b]: readonly Norm[]) {
  const rise = (b.norm - a.norm) / (b.orig - a.orig);
  return { slope: slope * rise, offset: a.norm + (offset - a.orig) * rise, fill };
}

function normalize(norms: readonly Norm[], outliers: string, value: number): number | null {
  const last = norms.length - 1;
  const isOutside = value < norms[0].orig || value > norms[last].orig;
  if (isOutside && outliers === 'asMissingValues') return null;
  if (isOutside && outliers === 'asExtremeValues') return norms[value < norms[0].orig ? 0 : last].norm;
  const next = norms.findIndex(({ orig }, k) => k > 0 && value <= orig);
  const [a, b] = next < 0 ? [norms[last - 1], norms[last]] : [norms[next - 1], norms[next]];
  return a.norm + ((value - a.orig) / (b.orig - a.orig)) * (b.norm - a.norm);
}

interface Interval {
  holds(value: number): boolean;
  readonly ends: readonly number[];
}

/** An Interval element: its margins, with or without themselves. */
export function readInterval(element: XmlElement): Interval {
  const closure = element.word('closure', ['openOpen', 'openClosed', 'closedOpen', 'closedClosed'] as const);
  const [left, right] = [element.get('leftMargin'), element.get('rightMargin')];
  if (left === undefined && right === undefined) throw element.fault('has neither leftMargin nor rightMargin');
  const low = left === undefined ? Number.NEGATIVE_INFINITY : element.number('leftMargin');
  const high = right === undefined ? Number.POSITIVE_INFINITY : element.number('rightMargin');
  const isAbove = closure.startsWith('open') ? (value: number) => value > low : (value: number) => value >= low;
  const isBelow = closure.endsWith('Open') ? (value: number) => value < high : (value: number) => value <= high;
  return {
    holds: (value) => isAbove(value) && isBelow(value),
    ends: [low, high].filter(Number.isFinite),
  };
}

function readBins(element: XmlElement, find: Lookup): FieldFunction {
  const field = find(element.needs('field'), element);
  const type = typeOf(element, 'string');
  const bins = element.all('DiscretizeBin').map((bin) => ({
    interval: readInterval(bin.needed('Interval')),
    value: parseScalar(bin.needs('binValue'), type, bin),
  }));
  const text = element.get('defaultValue');
  const other = text === undefined ? null : parseScalar(text, type, element);
  const binOf = (value: Scalar) => bins.find(({ interval }) => interval.holds(value as number))?.value ?? other;
  const cuts = bins.flatMap(({ interval }) => interval.ends.flatMap((end) => cutsAt(field, end)));
  const at = ([value]: readonly Scalar[]) => (value === null ? null : binOf(value));
  return withMissing(compose(type, [field], at, element, { cuts, isStep: true }), element);
}

function readTable(element: XmlElement, find: Lookup): FieldFunction {
  const pairs = element.all('FieldColumnPair');
  if (pairs.length !== 1)
    throw element.refusal(`MapValues of ${pairs.length} fields: map one field, or compute the value before the model`);
  const field = find(pairs[0].needs('field'), pairs[0]);
  const type = typeOf(element, 'string');
  const rows = readRows(element, pairs[0].needs('column'), element.needs('outputColumn'));
  const table = new Map(
    rows.map(({ row, from, to }) => [parseScalar(from, field.type, row), parseScalar(to, type, row)]),
  );
  const text = element.get('defaultValue');
  const other = text === undefined ? null : parseScalar(text, type, element);
  const cuts = [...table.keys()].flatMap((key) => (typeof key === 'number' ? cutsAt(field, key) : []));
  const at = ([value]: readonly Scalar[]) => (value === null ? null : (table.get(value) ?? other));
  return withMissing(compose(type, [field], at, element, { cuts, isStep: true }), element);
}

function readRows(element: XmlElement, input: string, output: string) {
  if (element.child('TableLocator')) throw element.refusal('a table outside of the file: write it as InlineTable');
  return element
    .needed('InlineTable')
    .all('row')
    .map((row) => ({ row, from: cellOf(row, input), to: cellOf(row, output) }));
}

/** A column is an element of the row. Its prefix is dropped like all others. */
const cellOf = (row: XmlElement, column: string): string => row.needed(column.slice(column.indexOf(':') + 1)).text;

function readApply(element: XmlElement, find: Lookup): FieldFunction {
  const parts = element.children.filter(({ name }) => name !== 'Extension').map((child) => readElement(child, find));
  return applyFunction(element, parts);
}
