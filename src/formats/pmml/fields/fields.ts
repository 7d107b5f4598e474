/**
 * The fields that a model reads. Each is a function of one column:
 *
 *   DataDictionary     columns: types, listed values, intervals of valid numbers, values that stand for a missing one
 *   MiningSchema       what a missing, an invalid and an extreme value count as
 *   transformations    fields computed from others, read when a model asks for them
 *
 * A value that a consumer of PMML would refuse (returnInvalid) is no value of a category and lies outside of the limits of a number.
 */
import type { FeatureDocument } from '../../../documents/model-document.js';
import { didYouMean } from '../../../documents/nearest-name.js';
import { nextDown, nextUp } from '../../../linalg/floats.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type Cut, columnOf, compose, cutsAt, type FieldFunction, type Source } from './expression.js';
import { isNumeric, parseScalar, type Scalar, typeOf, type ValueType } from './scalar.js';
import { type Lookup, readDerived, readInterval } from './transformations.js';

/** Fields by name. A field that is not known here is asked of the outer scope. */
export class FieldScope {
  private readonly makers = new Map<string, () => FieldFunction>();
  private readonly known = new Map<string, FieldFunction>();
  private readonly open = new Set<string>();

  constructor(private readonly outer: FieldScope | null = null) {}

  define(name: string, make: () => FieldFunction): void {
    this.makers.set(name, make);
  }

  /** Derived fields, which read fields of this scope. */
  defineDerived(parent: XmlElement | undefined): void {
    for (const field of parent?.all('DerivedField') ?? [])
      this.define(field.needs('name'), () => readDerived(field, this.find));
  }

  find: Lookup = (name, element) => {
    const known = this.known.get(name);
    if (known) return known;
    const make = this.makers.get(name);
    if (!make) return this.findOutside(name, element);
    if (this.open.has(name)) throw element.fault(`the field "${name}" is computed from itself`);
    this.open.add(name);
    const made = make();
    this.open.delete(name);
    this.known.set(name, made);
    return made;
  };

  private findOutside(name: string, element: XmlElement): FieldFunction {
    if (this.outer) return this.outer.find(name, element);
    throw element.fault(`there is no field "${name.slice(0, 60)}"${didYouMean(name, this.makers.keys())}`);
  }
}

/** A field of the DataDictionary. */
interface DataField {
  readonly element: XmlElement;
  readonly name: string;
  readonly type: ValueType;
  readonly isCategory: boolean;
  /** Texts of the values that are listed as valid. */
  readonly words: readonly string[];
}

export type Dictionary = ReadonlyMap<string, DataField>;

export function readDictionary(root: XmlElement): Dictionary {
  const fields = root.needed('DataDictionary').all('DataField').map(readDataField);
  return new Map(fields.map((field) => [field.name, field]));
}

function readDataField(element: XmlElement): DataField {
  const type = typeOf(element);
  const optype = element.word('optype', ['categorical', 'continuous', 'ordinal'] as const);
  const words = element.all('Value').filter((value) => value.word('property', VALUE_KINDS) === 'valid');
  return {
    element,
    name: element.needs('name'),
    type,
    isCategory: optype !== 'continuous' || !isNumeric(type),
    words: words.map((value) => value.needs('value')),
  };
}

const VALUE_KINDS = ['valid', 'missing', 'invalid'] as const;

/** The texts of a field's values in one spelling: numbers as 1, not as 1.0. */
export const wordOf = (value: Scalar): string => String(value);

/** The columns of the outermost model, and what it reads. */
export interface PmmlColumns {
  readonly scope: FieldScope;
  readonly features: readonly FeatureDocument[];
}

/** `named`: by field of categories without listed values, the values that the model names. */
export function readColumns(root: XmlElement, model: XmlElement, named: NamedValues): PmmlColumns {
  const dictionary = readDictionary(root);
  const scope = new FieldScope();
  const features: FeatureDocument[] = [];
  for (const mining of activeFields(model)) {
    const name = mining.needs('name');
    const field = dictionary.get(name);
    if (!field) throw mining.fault(`the DataDictionary has no field "${name}"${didYouMean(name, dictionary.keys())}`);
    const { source, feature } = columnFor(field, mining, features.length, named);
    features.push(feature);
    scope.define(name, () => treated(columnOf(source, field.type), mining, field));
  }
  const transformations = new FieldScope(scope);
  for (const define of root.child('TransformationDictionary')?.all('DefineFunction') ?? [])
    throw define.refusal('functions of its own (DefineFunction): write the expression where it is used');
  transformations.defineDerived(root.child('TransformationDictionary'));
  return { scope: transformations, features };
}

/** The fields of a nested model: those of the outer scope, with its own treatments. */
export function nestedScope(outer: FieldScope, model: XmlElement): FieldScope {
  const scope = new FieldScope(outer);
  for (const mining of activeFields(model)) {
    if (!TREATMENTS.some((key) => mining.get(key) !== undefined)) continue;
    const name = mining.needs('name');
    scope.define(name, () => treated(outer.find(name, mining), mining, null));
  }
  return localScope(scope, model);
}

/** The fields that a model computes for itself. */
export function localScope(outer: FieldScope, model: XmlElement): FieldScope {
  const scope = new FieldScope(outer);
  scope.defineDerived(model.child('LocalTransformations'));
  return scope;
}

export const activeFields = (model: XmlElement): XmlElement[] =>
  model
    .needed('MiningSchema')
    .all('MiningField')
    .filter((field) => (field.get('usageType') ?? 'active') === 'active');

/** By field: texts of values that predicates and predictors of the model name. */
export type NamedValues = (field: string) => readonly string[];

function columnFor(
  field: DataField,
  mining: XmlElement,
  index: number,
  named: NamedValues,
): { source: Source; feature: FeatureDocument } {
  const { name, type, element } = field;
  if (!field.isCategory) {
    const feature = { name, type: type === 'integer' ? 'integer' : 'continuous', ...limitsOf(field, mining) } as const;
    return { source: { kind: 'number', name, index, isSingle: type === 'float' }, feature };
  }
  if (type === 'boolean') {
    const source = { kind: 'category', name, index, isBoolean: true, values: [false, true] } as const;
    return { source, feature: { name, type: 'boolean' } };
  }
  const words = field.words.length ? field.words : named(name);
  const values = [...new Set(words.map((word) => parseScalar(word, type, element)))];
  if (!values.length)
    throw element.refusal(`a field of categories of which neither the DataDictionary nor the model names a value`);
  const source = { kind: 'category', name, index, isBoolean: false, values } as const;
  return { source, feature: { name, type: 'categorical', categories: values.map(wordOf) } };
}

/** The ends of the one interval of valid numbers. */
function limitsOf({ element }: DataField, mining: XmlElement): { min?: number; max?: number } {
  const [interval, ...others] = element.all('Interval');
  if (!interval || others.length || (mining.get('invalidValueTreatment') ?? 'returnInvalid') !== 'returnInvalid')
    return {};
  const { holds } = readInterval(interval);
  const end = (key: string, inside: (end: number) => number) => {
    if (interval.get(key) === undefined) return undefined;
    const margin = interval.number(key);
    return holds(margin) ? margin : inside(margin);
  };
  const [min, max] = [end('leftMargin', nextUp), end('rightMargin', nextDown)];
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

const TREATMENTS = ['missingValueReplacement', 'invalidValueTreatment', 'outliers', 'missingValueTreatment'];
const INVALID = ['returnInvalid', 'asIs', 'asMissing', 'asValue'] as const;

/** The value of a field after the treatments of its MiningField. `field`: null for a field of a nested model, whose values are valid. */
function treated(own: FieldFunction, mining: XmlElement, field: DataField | null): FieldFunction {
  const steps = [
    ...(field ? [invalidStep(own, mining, field)] : []),
    outlierStep(own, mining),
    missingStep(own, mining),
  ];
  return steps.flatMap((step) => step ?? []).reduce((sofar, step) => throughStep(sofar, step, mining), own);
}

interface Treatment {
  readonly run: (value: Scalar) => Scalar;
  readonly cuts: readonly Cut[];
  /** Whether present values stay as they are. */
  readonly isForMissing: boolean;
}

function throughStep(own: FieldFunction, { run, cuts, isForMissing }: Treatment, mining: XmlElement): FieldFunction {
  const whole = compose(own.type, [own], ([value]) => run(value), mining, { cuts });
  if (!isForMissing) return whole;
  const fill = run(null);
  const line = own.line && typeof fill === 'number' ? { ...own.line, fill } : own.line;
  return { ...whole, line, isPlain: own.isPlain };
}

function missingStep({ type }: FieldFunction, mining: XmlElement): Treatment | null {
  const text = mining.get('missingValueReplacement');
  if (text === undefined) return null;
  const replacement = parseScalar(text, type, mining);
  return { run: (value) => value ?? replacement, cuts: [], isForMissing: true };
}

function outlierStep(own: FieldFunction, mining: XmlElement): Treatment | null {
  const treatment = mining.word('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'] as const);
  if (treatment === 'asIs') return null;
  const low = mining.number('lowValue', Number.NEGATIVE_INFINITY);
  const high = mining.number('highValue', Number.POSITIVE_INFINITY);
  const clamp = (value: number) => Math.min(high, Math.max(low, value));
  const run = (value: Scalar) => {
    if (typeof value !== 'number' || clamp(value) === value) return value;
    return treatment === 'asMissingValues' ? null : clamp(value);
  };
  return { run, cuts: [low, high].filter(Number.isFinite).flatMap((end) => cutsAt(own, end)), isForMissing: false };
}

/** No row has it: a missing value is told as such. */
const NOT_A_NUMBER = 'NaN';

/** Values that stand for a missing one, and invalid values that count as something else. */
function invalidStep(
  own: FieldFunction,
  mining: XmlElement,
  { element, type, isCategory }: DataField,
): Treatment | null {
  if (isCategory) return null;
  const treatment = mining.word('invalidValueTreatment', INVALID);
  const special = (kind: string) =>
    element
      .all('Value')
      .filter((value) => value.get('property') === kind && value.get('value') !== NOT_A_NUMBER)
      .map((value) => parseScalar(value.needs('value'), type, value));
  const missing = new Set(special('missing'));
  const isCounted = treatment === 'asMissing' || treatment === 'asValue';
  const isValid = isCounted ? validity(element, new Set(special('invalid'))) : { holds: () => true, ends: [] };
  if (!missing.size && !isCounted) return null;
  const text = treatment === 'asValue' ? mining.needs('invalidValueReplacement') : undefined;
  const replacement = text === undefined ? null : parseScalar(text, type, mining);
  const run = (value: Scalar) =>
    value === null || missing.has(value) ? null : isValid.holds(value as number) ? value : replacement;
  const ends = [...isValid.ends, ...[...missing].map(Number)];
  return { run, cuts: ends.flatMap((end) => cutsAt(own, end)), isForMissing: false };
}

function validity(element: XmlElement, invalid: ReadonlySet<Scalar>) {
  const intervals = element.all('Interval').map(readInterval);
  const isWithin = (value: number) => !intervals.length || intervals.some(({ holds }) => holds(value));
  return {
    holds: (value: number) => !invalid.has(value) && isWithin(value),
    ends: [...intervals.flatMap(({ ends }) => ends), ...[...invalid].map(Number)],
  };
}
