/** The names of the classes of a classifier, and the function from its sums to scores. */
import type { OutputStep } from '../values.js';
import type { NodeView } from './node-view.js';

export const LABEL_ATTRIBUTES = ['classlabels_ints', 'classlabels_int64s', 'classlabels_strings'];

export function classLabels(node: NodeView): string[] {
  const numbers = [...node.ints('classlabels_ints'), ...node.ints('classlabels_int64s')];
  const names = [...node.texts('classlabels_strings'), ...numbers.map(String)];
  if (names.length < 2) throw node.refuse(`${names.length || 'no'} class labels`, 'classlabels');
  return names;
}

const TRANSFORMS: ReadonlyMap<string, readonly OutputStep[]> = new Map<string, readonly OutputStep[]>([
  ['NONE', []],
  ['LOGISTIC', ['logistic']],
  ['SOFTMAX', ['softmax']],
]);

export function postTransform(node: NodeView): readonly OutputStep[] {
  const name = node.text('post_transform', 'NONE');
  const steps = TRANSFORMS.get(name);
  if (steps) return steps;
  throw node.refuse(`the transformation ${name.slice(0, 20)}`, 'post_transform');
}
