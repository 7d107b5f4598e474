/**
 * Predicates of PMML in the logic of three values: true, false, and null for unknown.
 *
 *   atom        a test of one column: its truth in each piece between cuts, or for each category, and for a missing value
 *   and, or     as in SQL;  xor: unknown where a part is;  surrogate: the first part that is known
 *
 * A predicate is judged for all rows of some rooms (rooms.ts). The judgement is a truth, or the first atom that has to be asked.
 */
import { type Cut, cutsAt, type FieldFunction, mergeCuts, piecesOf, type Source } from '../fields/expression.js';
import { parseScalar, readArray, type Scalar } from '../fields/scalar.js';
import type { Lookup } from '../fields/transformations.js';
import type { XmlElement } from '../xml/xml-element.js';

export type Truth = boolean | null;

/** A test of one column. */
export interface PredicateAtom {
  readonly source: Source;
  /** For a number: where its truth changes. */
  readonly cuts: readonly Cut[];
  /** By piece between cuts, or by category. */
  readonly truths: readonly Truth[];
  readonly missing: Truth;
}

export type Predicate =
  | { readonly kind: 'known'; readonly truth: Truth }
  | { readonly kind: 'atom'; readonly atom: PredicateAtom }
  | { readonly kind: 'and' | 'or' | 'xor' | 'surrogate'; readonly parts: readonly Predicate[] };

/** What can be said of an atom for all rows of some rooms. Undefined: rows differ. */
export type AtomTruth = (atom: PredicateAtom) => Truth | undefined;

const KINDS: Readonly<Record<string, (element: XmlElement, find: Lookup) => Predicate>> = {
  True: () => ({ kind: 'known', truth: true }),
  False: () => ({ kind: 'known', truth: false }),
  SimplePredicate: readSimple,
  SimpleSetPredicate: readSet,
  CompoundPredicate: readCompound,
};

export const PREDICATES = Object.keys(KINDS);

/** The predicate among the children of an element. */
export const readPredicate = (parent: XmlElement, find: Lookup): Predicate => readOne(parent.oneOf(PREDICATES), find);

const readOne = (element: XmlElement, find: Lookup): Predicate => KINDS[element.name](element, find);

function readCompound(element: XmlElement, find: Lookup): Predicate {
  const kind = element.word('booleanOperator', ['and', 'or', 'xor', 'surrogate'] as const);
  const parts = element.children.filter(({ name }) => PREDICATES.includes(name)).map((part) => readOne(part, find));
  if (parts.length < 2) throw element.fault('expected two or more predicates');
  return { kind, parts };
}

const OPERATORS = {
  equal: (a: Scalar, b: Scalar) => a === b,
  notEqual: (a: Scalar, b: Scalar) => a !== b,
  lessThan: (a: Scalar, b: Scalar) => a! < b!,
  lessOrEqual: (a: Scalar, b: Scalar) => a! <= b!,
  greaterThan: (a: Scalar, b: Scalar) => a! > b!,
  greaterOrEqual: (a: Scalar, b: Scalar) => a! >= b!,
  isMissing: (a: Scalar) => a === null,
  isNotMissing: (a: Scalar) => a !== null,
} as const;
const NAMES = Object.keys(OPERATORS) as (keyof typeof OPERATORS)[];

function readSimple(element: XmlElement, find: Lookup): Predicate {
  const field = find(element.needs('field'), element);
  const operator = element.word('operator', NAMES);
  const isOfMissing = operator === 'isMissing' || operator === 'isNotMissing';
  const value = isOfMissing ? null : parseScalar(element.needs('value'), field.type, element);
  if (field.type === 'string' && !isOfMissing && operator !== 'equal' && operator !== 'notEqual')
    throw element.refusal(`${operator} of texts: use equal, notEqual or SimpleSetPredicate`);
  const test = OPERATORS[operator];
  const holds = (own: Scalar): Truth => (own === null && !isOfMissing ? null : test(own, value));
  return atomOf(field, holds, typeof value === 'number' ? cutsAt(field, value) : []);
}

function readSet(element: XmlElement, find: Lookup): Predicate {
  const field = find(element.needs('field'), element);
  const isIn = element.word('booleanOperator', ['isIn', 'isNotIn'] as const) === 'isIn';
  const values = new Set(readArray(element.needed('Array')).map((text) => parseScalar(text, field.type, element)));
  const cuts = [...values].flatMap((value) => (typeof value === 'number' ? cutsAt(field, value) : []));
  return atomOf(field, (own) => (own === null ? null : values.has(own) === isIn), cuts);
}

/** A test of the values of an expression. Equal pieces are one. */
function atomOf(field: FieldFunction, holds: (own: Scalar) => Truth, tested: readonly Cut[]): Predicate {
  const { source, at } = field;
  if (!source) return { kind: 'known', truth: holds(at(null)) };
  const missing = holds(at(null));
  const truth = (value: Scalar) => holds(at(value));
  if (source.kind === 'category')
    return { kind: 'atom', atom: { source, cuts: [], truths: source.values.map(truth), missing } };
  const cuts = mergeCuts([...field.cuts, ...tested]);
  const truths = piecesOf(cuts, truth);
  const kept = cuts.filter((_, k) => truths[k] !== truths[k + 1]);
  const keptTruths = truths.filter((own, k) => k === 0 || own !== truths[k - 1]);
  return { kind: 'atom', atom: { source, cuts: kept, truths: keptTruths, missing } };
}

/** A truth, or the atom that has to be asked first. */
export function judge(predicate: Predicate, truthOf: AtomTruth): Truth | PredicateAtom {
  if (predicate.kind === 'known') return predicate.truth;
  if (predicate.kind === 'atom') {
    const truth = truthOf(predicate.atom);
    return truth === undefined ? predicate.atom : truth;
  }
  return JUDGES[predicate.kind](predicate.parts.map((part) => judge(part, truthOf)));
}

const isAtom = (judgement: Truth | PredicateAtom): judgement is PredicateAtom =>
  typeof judgement === 'object' && judgement !== null;

/** `end`: the truth of a part that settles the whole. */
function settle(parts: readonly (Truth | PredicateAtom)[], end: boolean): Truth | PredicateAtom {
  if (parts.includes(end)) return end;
  return parts.find(isAtom) ?? (parts.includes(null) ? null : !end);
}

const JUDGES = {
  and: (parts: readonly (Truth | PredicateAtom)[]) => settle(parts, false),
  or: (parts: readonly (Truth | PredicateAtom)[]) => settle(parts, true),
  xor: (parts: readonly (Truth | PredicateAtom)[]) =>
    parts.includes(null) ? null : (parts.find(isAtom) ?? parts.filter((part) => part === true).length % 2 === 1),
  surrogate: (parts: readonly (Truth | PredicateAtom)[]) => parts.find((part) => part !== null) ?? null,
};
