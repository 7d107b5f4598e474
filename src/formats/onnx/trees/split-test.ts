/**
 * When a row takes the true branch of a node, in terms of the input column x of the row instead of the column g(x) that the node reads:
 *
 *   cuts   true in the intervals (low, high] of x       g rises or falls, and each end is found in g's own arithmetic
 *   set    true for these categories of x               the column is a table, or x is a code
 *
 * Members are read of codes only: onnxruntime cuts the fraction of x in some lists of members, and not in others.
 *
 * Ends are numbers of 32 bits where g only rounds to 32 bits (`single`), else doubles. Infinite ends: no end.
 */
import { lastDouble, nextDownSingle } from '../../../linalg/floats.js';
import { type CodedColumn, isPlain, isRising, type OnnxColumn, runSteps, type ScalarColumn } from '../columns.js';
import type { NodeView } from '../operators/node-view.js';
import type { SplitMode, SplitNode } from './split-forest.js';

export interface CutTest {
  readonly kind: 'cuts';
  /** Ascending. */
  readonly intervals: readonly (readonly [low: number, high: number])[];
  readonly isMissingTrue: boolean;
}

export interface SetTest {
  readonly kind: 'set';
  readonly codes: readonly number[];
  /** Whether the true branch is for all others. */
  readonly isOthers: boolean;
  /** Whether all categories are in the set. */
  readonly isAll: boolean;
  /** Null: a missing value is an error. */
  readonly isMissingTrue: boolean | null;
}

export type SplitTest = CutTest | SetTest;

/** Whether a node sends a number that is not missing the true way. */
const HOLDS: Readonly<Record<SplitMode, (x: number, values: readonly number[]) => boolean>> = {
  LEQ: (x, [value]) => x <= value,
  LT: (x, [value]) => x < value,
  GTE: (x, [value]) => x >= value,
  GT: (x, [value]) => x > value,
  EQ: (x, [value]) => x === value,
  NEQ: (x, [value]) => x !== value,
  MEMBER: (x, values) => values.includes(x),
};

export const isEquality = ({ mode }: SplitNode): boolean => mode === 'EQ' || mode === 'NEQ' || mode === 'MEMBER';

const holds = ({ mode, values, isMissingTrue }: SplitNode, x: number): boolean =>
  Number.isNaN(x) ? isMissingTrue || mode === 'NEQ' : HOLDS[mode](x, values);

/** `isCoded`: the input is made of codes. */
export function splitTest(
  split: SplitNode,
  column: OnnxColumn,
  isCoded: boolean,
  isSingle: boolean,
  node: NodeView,
): SplitTest {
  if (column.kind === 'word') throw node.refuse('a split by text');
  if (column.kind === 'table') return tableTest(split, column);
  const isMissingTrue = holds(split, runSteps(column, Number.NaN));
  if (isCoded) return codeTest(split, isMissingTrue);
  if (split.mode === 'MEMBER')
    throw node.refuse('members of a column that other nodes compare as a number, or that has fractions', 'nodes_modes');
  return { kind: 'cuts', intervals: intervalsOf(split, column, isSingle), isMissingTrue };
}

function tableTest(split: SplitNode, { values, other }: CodedColumn): SetTest {
  const codes = [...values.keys()].filter((code) => holds(split, values[code]));
  return {
    kind: 'set',
    codes,
    isOthers: false,
    isAll: codes.length === values.length,
    isMissingTrue: other === null ? null : holds(split, other),
  };
}

const codeTest = ({ mode, values }: SplitNode, isMissingTrue: boolean): SetTest => ({
  kind: 'set',
  codes: values,
  isOthers: mode === 'NEQ',
  isAll: false,
  isMissingTrue,
});

type Interval = readonly [low: number, high: number];

function intervalsOf({ mode, values }: SplitNode, column: ScalarColumn, isSingle: boolean): Interval[] {
  const end = isSingle ? singleEnd : doubleEnd(column);
  const [value] = values;
  const rising = isRising(column);
  const upTo = (last: number): Interval[] => (rising ? [[-Infinity, last]] : [[last, Infinity]]);
  const beyond = (last: number): Interval[] => (rising ? [[last, Infinity]] : [[-Infinity, last]]);
  const at = (own: number): Interval => {
    const ends = [end(own, false), end(own, true)];
    return rising ? [ends[0], ends[1]] : [ends[1], ends[0]];
  };
  const table: Readonly<Record<Exclude<SplitMode, 'MEMBER'>, () => Interval[]>> = {
    LEQ: () => upTo(end(value, true)),
    LT: () => upTo(end(value, false)),
    GTE: () => beyond(end(value, false)),
    GT: () => beyond(end(value, true)),
    EQ: () => [at(value)],
    NEQ: () => [
      [-Infinity, at(value)[0]],
      [at(value)[1], Infinity],
    ],
  };
  return table[mode as keyof typeof table]().filter(([low, high]) => low < high);
}

/** The x up to which g(x) <= value (or <) holds; of a falling g, the x up to which it does not hold. */
type EndOf = (value: number, isClosed: boolean) => number;

function doubleEnd(column: ScalarColumn): EndOf {
  const rising = isRising(column);
  const g = (x: number) => runSteps(column, x);
  return (value, isClosed) => {
    const isBelow = (x: number) => (isClosed ? g(x) <= value : g(x) < value);
    return lastDouble((x) => isBelow(x) === rising, inverse(column, value));
  };
}

/** The value of x without rounding, for the start of a search. */
function inverse({ steps }: ScalarColumn, value: number): number {
  let x = value;
  for (const { map } of [...steps].reverse()) if (map) x = (x - map.shift) / map.factor;
  return Number.isFinite(x) ? x : 0;
}

/** The column is x in 32 bits. */
const singleEnd: EndOf = (value, isClosed) => {
  const rounded = Math.fround(value);
  return rounded > value || (rounded === value && !isClosed) ? nextDownSingle(rounded) : rounded;
};

/** Whether the numbers that a column is compared with can be codes of categories, and the column is the code itself. */
export function areCodes(column: OnnxColumn, values: readonly number[], most: number): boolean {
  return (
    column.kind === 'number' &&
    isPlain(column) &&
    values.every((value) => Number.isInteger(value) && value >= 0 && value < most)
  );
}
