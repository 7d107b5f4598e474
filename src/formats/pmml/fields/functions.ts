/**
 * Built-in functions of PMML. Whole numbers divided by whole numbers give whole numbers, as in Java. A missing argument makes the result
 * missing, but for `if`, `isMissing`, `isNotMissing`, `and` and `or`. Functions that bend between their cuts are refused.
 */

import type { XmlElement } from '../xml/xml-element.js';
import { type Cut, castTo, compose, constant, cutsAt, type FieldFunction, type Line } from './expression.js';
import { isNumeric, parseScalar, type Scalar, type ValueType } from './scalar.js';

type Values = readonly Scalar[];

interface BuiltIn {
  /** The numbers of arguments. */
  readonly least: number;
  readonly most: number;
  readonly type: (parts: readonly FieldFunction[]) => ValueType;
  readonly run: (values: Values, parts: readonly FieldFunction[]) => Scalar;
  readonly takesMissing?: boolean;
  readonly isStep?: boolean;
  readonly line?: (parts: readonly FieldFunction[]) => Line | null;
  readonly cuts?: (parts: readonly FieldFunction[]) => Cut[];
}

const commonType = (parts: readonly FieldFunction[]): ValueType =>
  parts.every(({ type }) => type === 'integer')
    ? 'integer'
    : parts.some(({ type }) => type === 'double')
      ? 'double'
      : 'float';
const truth = (): ValueType => 'boolean';
const [ANY, TWO] = [Number.POSITIVE_INFINITY, 2];

const arithmetic = (run: (a: number, b: number) => number, line: (a: Affine, b: Affine) => Affine | null): BuiltIn => ({
  least: TWO,
  most: TWO,
  type: commonType,
  run: ([a, b]) => run(a as number, b as number),
  line: (parts) => lineOf(parts, line),
});

interface Affine {
  readonly slope: number;
  readonly offset: number;
}

/** The line of a function of two, of which one is a line. */
function lineOf(parts: readonly FieldFunction[], combine: (a: Affine, b: Affine) => Affine | null): Line | null {
  const bent = parts.find(({ source }) => source);
  const [a, b] = parts.map(affineOf);
  const line = a && b && bent?.line ? combine(a, b) : null;
  return line && { ...line, fill: bent!.line!.fill };
}

function affineOf({ source, at, line }: FieldFunction): Affine | null {
  const value = source ? null : at(null);
  return source ? line : typeof value === 'number' ? { slope: 0, offset: value } : null;
}

const comparison = (holds: (a: Scalar, b: Scalar) => boolean): BuiltIn => ({
  least: TWO,
  most: TWO,
  type: truth,
  run: ([a, b]) => holds(a, b),
  isStep: true,
  cuts: ([a, b]) => (b.source ? crossings(b, a) : crossings(a, b)),
});

/** The cuts of a comparison of a function with a constant. */
function crossings(own: FieldFunction, other: FieldFunction): Cut[] {
  const value = other.source ? null : other.at(null);
  return typeof value === 'number' ? cutsAt(own, value) : [];
}

const isTrue = (value: Scalar) => value === true;
const step = (run: BuiltIn['run'], others: Partial<BuiltIn> = {}): BuiltIn => ({
  least: 1,
  most: ANY,
  type: truth,
  run,
  isStep: true,
  takesMissing: true,
  ...others,
});

const extreme = (pick: (...values: number[]) => number): BuiltIn => ({
  least: 1,
  most: ANY,
  type: commonType,
  run: (values) => pick(...(values as number[])),
});

const listed = (isIn: boolean): BuiltIn => ({
  least: 2,
  most: ANY,
  type: truth,
  run: ([own, ...others]) => others.includes(own) === isIn,
  isStep: true,
  cuts: ([own, ...others]) => others.flatMap((other) => crossings(own, other)),
});

const quotient = (a: Affine, b: Affine): Affine | null =>
  b.slope === 0 && b.offset !== 0 ? { slope: a.slope / b.offset, offset: a.offset / b.offset } : null;

const FUNCTIONS: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  [
    '+',
    arithmetic(
      (a, b) => a + b,
      (a, b) => ({ slope: a.slope + b.slope, offset: a.offset + b.offset }),
    ),
  ],
  [
    '-',
    arithmetic(
      (a, b) => a - b,
      (a, b) => ({ slope: a.slope - b.slope, offset: a.offset - b.offset }),
    ),
  ],
  ['*', arithmetic((a, b) => a * b, product)],
  ['/', { ...arithmetic((a, b) => a / b, quotient), run: divide }],
  ['min', extreme(Math.min)],
  ['max', extreme(Math.max)],
  [
    'abs',
    { least: 1, most: 1, type: commonType, run: ([a]) => Math.abs(a as number), cuts: ([own]) => cutsAt(own, 0) },
  ],
  ['floor', { least: 1, most: 1, type: () => 'integer', run: ([a]) => Math.floor(a as number) }],
  ['ceil', { least: 1, most: 1, type: () => 'integer', run: ([a]) => Math.ceil(a as number) }],
  ['equal', comparison((a, b) => a === b)],
  ['notEqual', comparison((a, b) => a !== b)],
  ['lessThan', comparison((a, b) => a! < b!)],
  ['lessOrEqual', comparison((a, b) => a! <= b!)],
  ['greaterThan', comparison((a, b) => a! > b!)],
  ['greaterOrEqual', comparison((a, b) => a! >= b!)],
  ['isIn', listed(true)],
  ['isNotIn', listed(false)],
  ['isMissing', step(([a]) => a === null)],
  ['isNotMissing', step(([a]) => a !== null)],
  ['and', step((values) => (values.includes(false) ? false : values.includes(null) ? null : true))],
  ['or', step((values) => (values.some(isTrue) ? true : values.includes(null) ? null : false))],
  ['not', step(([a]) => (a === null ? null : !a))],
  ['threshold', { ...comparison((a, b) => a! > b!), type: () => 'integer', run: ([a, b]) => +(a! > b!) }],
]);

function product(a: Affine, b: Affine): Affine | null {
  const [line, { offset: factor, slope }] = a.slope === 0 ? [b, a] : [a, b];
  return slope === 0 ? { slope: line.slope * factor, offset: line.offset * factor } : null;
}

function divide([a, b]: Values, parts: readonly FieldFunction[]): Scalar {
  const value = (a as number) / (b as number);
  return commonType(parts) === 'integer' ? Math.trunc(value) : value;
}

export function applyFunction(element: XmlElement, parts: readonly FieldFunction[]): FieldFunction {
  const name = element.needs('function');
  if (name === 'if') return withDefaults(element, applyIf(element, parts));
  const known = FUNCTIONS.get(name);
  if (!known)
    throw element.refusal(
      `the function "${name}"; known are if, ${[...FUNCTIONS.keys()].join(', ')}. Compute it before the model, as a field of its own`,
    );
  if (parts.length < known.least || parts.length > known.most)
    throw element.fault(`the function "${name}" has ${parts.length} arguments`);
  checkDivisor(element, name, parts);
  return withDefaults(element, applyKnown(element, known, parts));
}

function applyKnown(element: XmlElement, known: BuiltIn, parts: readonly FieldFunction[]): FieldFunction {
  const type = known.type(parts);
  const isWhole = type === 'integer' && parts.some(({ isStep }) => !isStep) && element.get('function') === '/';
  const run = (values: Values) => {
    if (!known.takesMissing && values.includes(null)) return null;
    const value = known.run(values, parts);
    return type === 'float' ? Math.fround(value as number) : value;
  };
  const line = type === 'double' || (type === 'integer' && !isWhole) ? (known.line?.(parts) ?? null) : null;
  return compose(type, parts, run, element, { cuts: known.cuts?.(parts), isStep: known.isStep, line });
}

/** A division by a column has two branches. */
function checkDivisor(element: XmlElement, name: string, [, divisor]: readonly FieldFunction[]): void {
  if (name !== '/' || !divisor.source) return;
  throw element.refusal('a division by a field: compute it before the model, as a field of its own');
}

function applyIf(element: XmlElement, parts: readonly FieldFunction[]): FieldFunction {
  const [condition, first] = parts;
  if (parts.length < 2 || parts.length > 3) throw element.fault(`the function "if" has ${parts.length} arguments`);
  const second = parts[2] ?? constant(null, first.type);
  const type = first.type === second.type ? first.type : wider(first.type, second.type, element);
  const [a, b] = [castTo(first, type, element), castTo(second, type, element)];
  const whole = compose(type, [condition, a, b], () => null, element, { isStep: true });
  const at = (value: Scalar) => {
    const own = condition.at(value);
    return own === null ? null : (own ? a : b).at(value);
  };
  return { ...whole, at, isStep: a.isStep && b.isStep };
}

function wider(a: ValueType, b: ValueType, element: XmlElement): ValueType {
  if (isNumeric(a) && isNumeric(b)) return 'double';
  throw element.refusal(`a choice between ${a} and ${b}: give both the same type`);
}

/** `mapMissingTo`: the result where an argument is missing; `defaultValue`: the result where the function has none. */
function withDefaults(element: XmlElement, result: FieldFunction): FieldFunction {
  const [missing, absent] = [element.get('mapMissingTo'), element.get('defaultValue')];
  if (missing === undefined && absent === undefined) return result;
  const value = parseScalar((missing ?? absent)!, result.type, element);
  return { ...result, at: (x) => result.at(x) ?? value, line: null };
}
