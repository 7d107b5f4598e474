/** The columns of the outermost model: the active fields of its MiningSchema, as features of the document. */
import type { FeatureDocument } from '../../../documents/model-document.js';
import { nextDown, nextUp } from '../../../linalg/floats.js';
import type { XmlElement } from '../xml/xml-element.js';
import { DataDictionary, type DataField, wordOf } from './data-dictionary.js';
import { columnOf, type Source } from './expression.js';
import { activeFields, FieldScope } from './field-scope.js';
import { parseScalar, type ValueType } from './scalar.js';
import { readInterval } from './transformations.js';
import { treated } from './treatments.js';

/** The columns of the outermost model, and what it reads. */
export interface PmmlColumns {
  readonly scope: FieldScope;
  readonly features: readonly FeatureDocument[];
  /** By feature. */
  readonly sources: readonly Source[];
}

/** `named`: by field of categories without listed values, the values that the model names. */
export function readColumns(root: XmlElement, model: XmlElement, named: NamedValues): PmmlColumns {
  const dictionary = new DataDictionary(root);
  const scope = new FieldScope();
  const features: FeatureDocument[] = [];
  const sources: Source[] = [];
  for (const mining of activeFields(model)) {
    const field = dictionary.find(mining);
    const { source, feature } = columnFor(field, mining, features.length, named);
    const own = treated(columnOf(source, field.type), mining, field);
    const isKept = source.fill === null || own.at(source.fill) === own.at(null);
    features.push(feature);
    sources.push(isKept ? source : { ...source, fill: null });
    scope.define(field.name, () => own);
  }
  const transformations = new FieldScope(scope);
  for (const define of root.child('TransformationDictionary')?.all('DefineFunction') ?? [])
    throw define.refusal('functions of its own (DefineFunction): write the expression where it is used');
  transformations.defineDerived(root.child('TransformationDictionary'));
  return { scope: transformations, features, sources };
}

/** By field: texts of values that predicates and predictors of the model name. */
export type NamedValues = (field: string) => readonly string[];

function columnFor(
  field: DataField,
  mining: XmlElement,
  index: number,
  named: NamedValues,
): { source: Source; feature: FeatureDocument } {
  const { name, type, element } = field;
  const common = { name, index, ...missingOf(mining, type) };
  if (!field.isCategory) {
    const feature = { name, type: type === 'integer' ? 'integer' : 'continuous', ...limitsOf(field, mining) } as const;
    return { source: { ...common, kind: 'number', isSingle: type === 'float', isWhole: type === 'integer' }, feature };
  }
  if (type === 'boolean') {
    const source = { ...common, kind: 'category', isBoolean: true, values: [false, true] } as const;
    return { source, feature: { name, type: 'boolean' } };
  }
  const words = field.words.length ? field.words : named(name);
  const values = [...new Set(words.map((word) => parseScalar(word, type, element)))];
  if (!values.length)
    throw element.refusal('a field of categories of which neither the DataDictionary nor the model names a value');
  const source = { ...common, kind: 'category', isBoolean: false, values } as const;
  return { source, feature: { name, type: 'categorical', categories: values.map(wordOf) } };
}

function missingOf(mining: XmlElement, type: ValueType) {
  const text = mining.get('missingValueReplacement');
  const isRequired = mining.get('missingValueTreatment') === 'returnInvalid';
  return { fill: text === undefined || isRequired ? null : parseScalar(text, type, mining), isRequired };
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
