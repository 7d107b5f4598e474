/**
 * SupportVectorMachineModel: Σ coefficient x K(vector, x) + absoluteValue.
 *
 *   number             the sum
 *   two classes        the target category below the threshold, else the alternate one
 *   OneAgainstOne      such a sum for every pair of classes, and votes
 *   OneAgainstAll      the class of the least sum: with a linear kernel
 *
 * The document reports sums where PMML reports votes. Equal votes go to the first class of the document.
 */

import { readNumbers } from '../fields/scalar.js';
import type { Lookup } from '../fields/transformations.js';
import { type Classes, type DocumentPart, isSingle, type ModelContext, readRescaling } from '../model-context.js';
import { classNames } from '../trees/forest.js';
import type { XmlElement } from '../xml/xml-element.js';
import { writeInputs } from './linear-sum.js';
import { type Machine, type PairMachine, pairParameters, type Vectors } from './pair-machines.js';
import { fieldOf, indicator } from './regression-model.js';

export function importSupportVectors(model: XmlElement, context: ModelContext): DocumentPart {
  if (model.get('svmRepresentation') === 'Coefficients')
    throw model.refusal('svmRepresentation="Coefficients": write the model as a RegressionModel');
  if (isSingle(model))
    throw model.refusal('x-mathContext="float" of a support vector machine: export in double precision');
  if (model.get('alternateBinaryTargetCategory') !== undefined)
    throw model.refusal('alternateBinaryTargetCategory: write alternateTargetCategory of each SupportVectorMachine');
  const dictionary = model.needed('VectorDictionary');
  const inputs = inputsOf(dictionary.needed('VectorFields'), context.scope.find);
  const preprocessing = writeInputs(inputs, context.features, model);
  const vectors = vectorsOf(dictionary, inputs.length);
  const machines = model.all('SupportVectorMachine').map((element) => readMachine(element, vectors));
  const kernel = readKernel(model);
  const parts = context.classes
    ? classParts(machines, vectors, kernel, model, context.classes)
    : numberPart(machines, vectors, kernel, model);
  return {
    ...parts,
    features: [...context.features],
    ...classNames(context),
    ...(preprocessing.length && { preprocessing }),
  };
}

type Part = Pick<DocumentPart, 'family' | 'parameters'>;

function inputsOf(fields: XmlElement, find: Lookup) {
  return fields.children
    .filter(({ name }) => name !== 'Extension')
    .map((field) => {
      if (field.name === 'FieldRef') return find(field.needs('field'), field);
      const name = fieldOf(field);
      return indicator(find(name, field), field.needs('value'), field.number('coefficient', 1), null, field);
    });
}

function vectorsOf(dictionary: XmlElement, width: number): Vectors {
  return new Map(
    dictionary.all('VectorInstance').map((instance) => {
      const numbers = numbersOf(instance, width);
      if (numbers.length === width) return [instance.needs('id'), numbers];
      throw instance.fault(`has ${numbers.length} numbers, and there are ${width} VectorFields`);
    }),
  );
}

function numbersOf(instance: XmlElement, width: number): number[] {
  const sparse = instance.child('REAL-SparseArray');
  if (!sparse) return readNumbers(instance.needed('Array'));
  const indices = sparse.child('Indices') ? readNumbers(sparse.needed('Indices')) : [];
  const entries = sparse.child('REAL-Entries') ? readNumbers(sparse.needed('REAL-Entries')) : [];
  if (indices.length !== entries.length || indices.some((index) => !(index >= 1 && index <= width)))
    throw sparse.fault(`expected as many indices from 1 to ${width} as entries`);
  const numbers = Array<number>(width).fill(sparse.number('defaultValue', 0));
  for (const [k, index] of indices.entries()) numbers[index - 1] = entries[k];
  return numbers;
}

function readMachine(element: XmlElement, vectors: Vectors): Machine {
  const ids =
    element
      .child('SupportVectors')
      ?.all('SupportVector')
      .map((own) => own.needs('vectorId')) ?? [];
  const list = element.needed('Coefficients');
  const numbers = list.all('Coefficient').map((own) => own.number('value', 0));
  if (ids.length !== numbers.length) throw element.fault(`${numbers.length} coefficients for ${ids.length} vectors`);
  const unknown = ids.find((id) => !vectors.has(id));
  if (unknown !== undefined) throw element.fault(`there is no vector "${unknown.slice(0, 40)}"`);
  const coefficients = new Map<string, number>();
  for (const [k, id] of ids.entries()) coefficients.set(id, (coefficients.get(id) ?? 0) + numbers[k]);
  return { element, coefficients, intercept: list.number('absoluteValue', 0) };
}

const KERNELS: Readonly<Record<string, (kernel: XmlElement) => Record<string, unknown>>> = {
  LinearKernelType: () => ({ type: 'linear' }),
  PolynomialKernelType: (kernel) => ({ type: 'poly', ...ofProduct(kernel), degree: kernel.number('degree', 1) }),
  RadialBasisKernelType: (kernel) => ({ type: 'rbf', gamma: kernel.number('gamma', 1) }),
  SigmoidKernelType: (kernel) => ({ type: 'sigmoid', ...ofProduct(kernel) }),
};
const ofProduct = (kernel: XmlElement) => ({ gamma: kernel.number('gamma', 1), coef0: kernel.number('coef0', 1) });

function readKernel(model: XmlElement): Record<string, unknown> {
  const kernel = model.oneOf(Object.keys(KERNELS));
  const form = KERNELS[kernel.name](kernel);
  if (Number.isInteger(form.degree ?? 1)) return form;
  throw kernel.refusal(`a polynomial of degree ${form.degree}: use a whole number`);
}

function numberPart(machines: readonly Machine[], vectors: Vectors, kernel: object, model: XmlElement): Part {
  const [machine, ...others] = machines;
  if (!machine || others.length)
    throw model.fault(`a regressor has one SupportVectorMachine, and there are ${machines.length}`);
  const { factor, constant } = readRescaling(model);
  return oneSum(machine, vectors, kernel, factor, constant);
}

function oneSum(
  { coefficients, intercept }: Machine,
  vectors: Vectors,
  kernel: object,
  factor: number,
  constant: number,
): Part {
  const ids = [...coefficients.keys()];
  const parameters = {
    supportVectors: ids.map((id) => [...vectors.get(id)!]),
    kernel,
    dualCoefficients: ids.map((id) => factor * coefficients.get(id)!),
    intercept: factor * intercept + constant,
  };
  return { family: 'kernel-svm', parameters };
}

function classParts(
  machines: readonly Machine[],
  vectors: Vectors,
  kernel: object,
  model: XmlElement,
  classes: Classes,
): Part {
  const method = model.word('classificationMethod', ['OneAgainstAll', 'OneAgainstOne'] as const);
  const isOneSum = machines.length === 1 && machines[0].element.get('alternateTargetCategory') !== undefined;
  if (method === 'OneAgainstAll' && !isOneSum) return leastSum(machines, vectors, kernel, model, classes);
  if (model.get('maxWins') === 'true')
    throw model.refusal('maxWins="true": write alternateTargetCategory without maxWins');
  const pairs = machines.map((machine) => pairOf(machine, model, classes));
  if (classes.names.length > 2)
    return { family: 'kernel-svm', parameters: { kernel, ...pairParameters(pairs, vectors, model, classes) } };
  const [pair, ...others] = pairs;
  if (!pair || others.length)
    throw model.fault(`two classes have one SupportVectorMachine, and there are ${machines.length}`);
  const sign = pair.alternate === 1 ? 1 : -1;
  return oneSum(pair, vectors, kernel, sign, -sign * pair.threshold);
}

function pairOf(machine: Machine, model: XmlElement, classes: Classes): PairMachine {
  const { element } = machine;
  const threshold = element.number('threshold', model.number('threshold', 0));
  const index = (key: string) => classes.indexOf(element.needs(key), element);
  return { ...machine, target: index('targetCategory'), alternate: index('alternateTargetCategory'), threshold };
}

function leastSum(
  machines: readonly Machine[],
  vectors: Vectors,
  kernel: object,
  model: XmlElement,
  classes: Classes,
): Part {
  if (!('type' in kernel) || kernel.type !== 'linear')
    throw model.refusal('classificationMethod="OneAgainstAll" with a kernel that is not linear: use OneAgainstOne');
  const rows = machines.map((machine) => ({
    machine,
    index: classes.indexOf(machine.element.needs('targetCategory'), machine.element),
  }));
  const ordered = classes.names.map((name, k) => {
    const own = rows.find(({ index }) => index === k);
    if (own) return own.machine;
    throw model.fault(`has no SupportVectorMachine for the class "${name}"`);
  });
  const width = [...vectors.values()][0]?.length ?? 0;
  const weights = ordered.map(({ coefficients }) =>
    Array.from({ length: width }, (_, j) =>
      [...coefficients].reduce((sum, [id, own]) => sum - own * vectors.get(id)![j], 0),
    ),
  );
  const bias = ordered.map(({ intercept }) => -intercept);
  return { family: 'softmax-regression', parameters: { weights, bias, normalization: 'none' } };
}
