/** LVQ with many prototypes of two classes around -1 and 1, each with a diagonal matrix of its own where asked for. */
import { type LoadedModel, loadModel } from '../../src/models/load.js';
import type { Dice } from './dice.js';

export const CLASSES = ['a', 'b'];

export function prototypeModel(dice: Dice, each: number, size: number, matrices = true): LoadedModel {
  const labels = CLASSES.flatMap((label) => Array<string>(each).fill(label));
  const prototypes = labels.map((label) => dice.vector(size, () => (label === 'a' ? -1 : 1) + 1.2 * dice.normal()));
  const diagonal = () => dice.vector(size, () => dice.between(0.5, 2));
  const relevances = labels.map(() => diagonal().map((value, i, all) => all.map((_, j) => (i === j ? value : 0))));
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'lvq',
    classes: CLASSES,
    features: Array.from({ length: size }, (_, f) => ({ name: `f${f}`, type: 'continuous' })),
    parameters: { prototypes, labels, ...(matrices && { relevances }) },
  });
}
