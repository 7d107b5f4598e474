/**
 * OneHotEncoder and LabelEncoder: numbers for categories. Each column becomes a table by category of the input.
 *
 *   OneHotEncoder   1 in the column of the category, else 0;  zeros: other categories are 0 in all columns, else an error
 *   LabelEncoder    the value of a key, a default for all others.  Of labels: other names of the classes
 */
import {
  type CodedColumn,
  type InputColumn,
  isPlain,
  type OnnxColumn,
  type ScalarColumn,
  type WordColumn,
} from '../columns.js';
import { FLOAT, INT64, STRING } from '../file/onnx-tensor.js';
import type { DecidedLabels, Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { columnsAt } from './operands.js';
import type { OperatorRows } from './operator.js';

type Inputs = readonly (Value | undefined)[];

/** The categories of an input column, as all of its encoders name them. */
function categoriesOf(input: InputColumn, names: readonly string[], node: NodeView): readonly string[] {
  const isSame = input.categories?.length === names.length && names.every((name, k) => name === input.categories![k]);
  if (input.categories && !isSame)
    throw node.refuse(`other categories of "${input.name}" than those of another encoder`);
  if (new Set(names).size !== names.length) throw node.fault('a category is listed twice');
  input.categories = names;
  return names;
}

/** Each category has a column with a number for each category. */
const MOST_ENTRIES = 20_000_000;

function oneHot(node: NodeView, inputs: Inputs): Value[] {
  const { columns } = columnsAt(inputs, 0, node);
  const [texts, codes] = [node.texts('cats_strings'), node.ints('cats_int64s')];
  const other = node.int('zeros', 1) === 0 ? null : 0;
  const size = Math.max(texts.length, codes.length);
  if (columns.length * size * size > MOST_ENTRIES) throw node.refuse(`${size} categories`, 'cats');
  const encode = (column: OnnxColumn): OnnxColumn[] => {
    if (column.kind === 'table') return codes.map((code) => indicatorOf(column, code));
    const names = column.kind === 'word' ? texts : codes.map(String);
    if (!names.length || (column.kind === 'number' && !isCode(column))) throw node.refuse('such columns');
    const { input } = column;
    const categories = categoriesOf(input, names, node);
    return names.map((name) => ({ kind: 'table', input, values: categories.map((own) => +(own === name)), other }));
  };
  return [{ kind: 'columns', type: FLOAT, columns: columns.flatMap(encode) }];
}

const indicatorOf = (column: CodedColumn, code: number): CodedColumn => ({
  ...column,
  values: column.values.map((value) => +(value === code)),
  other: column.other === null ? null : +(column.other === code),
});

/** Casts and nothing else: a code of the row. */
const isCode = (column: ScalarColumn): boolean =>
  isPlain(column) || column.steps.every(({ run, imputed }) => imputed === undefined && run(3) === 3 && run(-8) === -8);

interface Keys {
  readonly names: readonly string[];
  readonly isText: boolean;
}

function keysOf(node: NodeView): Keys {
  const tensor = node.tensor('keys_tensor');
  const texts = [...node.texts('keys_strings'), ...node.texts('classes_strings'), ...(tensor?.texts ?? [])];
  const numbers = [...node.ints('keys_int64s'), ...node.floats('keys_floats'), ...(tensor?.numbers ?? [])];
  return { names: [...texts, ...numbers.map(String)], isText: texts.length > 0 };
}

function labelEncode(node: NodeView, inputs: Inputs): Value[] {
  const [value] = inputs;
  const keys = keysOf(node);
  if (value?.kind === 'labels') return [renamed(value, keys.names, node)];
  const { columns } = columnsAt(inputs, 0, node);
  const { numbers, other, type } = codesOf(node, keys);
  node.checkLength('values', numbers.length, keys.names.length);
  const encoded = columns.map((column): OnnxColumn => {
    if (column.kind === 'table' || (column.kind === 'word') !== keys.isText) throw node.refuse('such columns');
    if (column.kind === 'number' && !isCode(column)) throw node.refuse('numbers that were changed before');
    return tableOf(column, keys.names, numbers, other, node);
  });
  return [{ kind: 'columns', type, columns: encoded }];
}

function tableOf(
  { input }: WordColumn | ScalarColumn,
  names: readonly string[],
  values: readonly number[],
  other: number,
  node: NodeView,
): CodedColumn {
  if (names.includes('NaN')) throw node.refuse('a missing value as a key', 'keys_floats');
  return { kind: 'table', input, values: categoriesOf(input, names, node).map((_, k) => values[k]), other };
}

function codesOf(node: NodeView, { names }: Keys): { numbers: readonly number[]; other: number; type: number } {
  const tensor = node.tensor('values_tensor');
  if (node.has('values_strings') || tensor?.type === STRING)
    throw node.refuse('texts in place of categories', 'values_strings');
  if (tensor)
    return { numbers: tensor.numbers, other: node.tensor('default_tensor')?.numbers[0] ?? 0, type: tensor.type };
  if (node.has('values_floats'))
    return { numbers: node.floats('values_floats'), other: node.float('default_float', 0), type: FLOAT };
  const codes = node.has('classes_strings') ? [...names.keys()] : node.ints('values_int64s');
  return { numbers: codes, other: node.int('default_int64', -1), type: INT64 };
}

/** The names of classes, once more named. */
function renamed(labels: DecidedLabels, keys: readonly string[], node: NodeView): DecidedLabels {
  const texts = [...node.texts('values_strings'), ...(node.tensor('values_tensor')?.texts ?? [])];
  const values = texts.length ? texts : [...node.ints('values_int64s'), ...node.floats('values_floats')].map(String);
  const byKey = new Map(keys.map((key, k) => [key, values[k]]));
  const names = (labels.names ?? keys).map((name) => byKey.get(name));
  const lost = names.indexOf(undefined);
  if (lost >= 0) throw node.refuse(`the label ${(labels.names ?? keys)[lost]} without a name`);
  return { ...labels, names: names as string[] };
}

const LABEL_ATTRIBUTES = ['keys', 'values', 'default'].flatMap((part) =>
  ['strings', 'int64s', 'floats', 'tensor', 'string', 'int64', 'float'].map((form) => `${part}_${form}`),
);

export const encodingOperators: OperatorRows = [
  ['OneHotEncoder', { attributes: ['cats_int64s', 'cats_strings', 'zeros'], lower: oneHot }],
  ['LabelEncoder', { attributes: [...LABEL_ATTRIBUTES, 'classes_strings'], lower: labelEncode }],
];
