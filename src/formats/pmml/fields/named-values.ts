/** The values of a field that a model names, for fields of categories of which the DataDictionary lists none. */

import { descendantsOf } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import type { NamedValues } from './columns.js';
import { readArray } from './scalar.js';

/** Elements that name a value of a field: the attribute with the field, and the value. */
const NAMED: ReadonlyMap<string, readonly string[]> = new Map([
  ['SimplePredicate', ['field']],
  ['NormDiscrete', ['field']],
  ['CategoricalPredictor', ['name', 'field']],
  ['PPCell', ['predictorName']],
]);

export function namedValues(model: XmlElement, root: XmlElement): NamedValues {
  const byField = new Map<string, Set<string>>();
  const add = (field: string | undefined, texts: readonly (string | undefined)[]) => {
    if (field === undefined) return;
    const known = byField.get(field) ?? new Set<string>();
    for (const text of texts) if (text !== undefined) known.add(text);
    byField.set(field, known);
  };
  const tops = [model, ...root.all('TransformationDictionary')];
  for (const element of tops.flatMap((top) => [...descendantsOf(top)])) {
    const keys = NAMED.get(element.name) ?? [];
    for (const key of keys) add(element.get(key), [element.get('value')]);
    if (element.name === 'SimpleSetPredicate') add(element.get('field'), readArray(element.needed('Array')));
    if (element.name === 'BayesInput')
      add(
        element.get('fieldName'),
        element.all('PairCounts').map((pair) => pair.get('value')),
      );
  }
  return (field) => [...(byField.get(field) ?? [])];
}
