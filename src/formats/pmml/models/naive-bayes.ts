/**
 * NaiveBayesModel: log P(class) + Σ_j log P(x_j | class). A missing value adds nothing.
 *
 *   counts of categories or bins    the family `additive`. A count of 0 has the probability `threshold`
 *   Gaussian densities              the family `gaussian-naive-bayes`, where no density is raised to a threshold
 */
import { castTo, compose, cutsAt, type FieldFunction } from '../fields/expression.js';
import { parseScalar, type Scalar, typeOf } from '../fields/scalar.js';
import { type Lookup, readExpression } from '../fields/transformations.js';
import type { Classes, DocumentPart, ModelContext } from '../model-context.js';
import { classNames } from '../trees/forest.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type ColumnSum, writeInputs, writeSteps } from './linear-sum.js';

export function importNaiveBayes(model: XmlElement, context: ModelContext): DocumentPart {
  const inputs = model.needed('BayesInputs').all('BayesInput');
  const priors = countsOf(model.needed('BayesOutput').needed('TargetValueCounts'), context.classes!);
  const continuous = inputs.filter((input) => input.child('TargetValueStats'));
  if (!continuous.length) return importCounts(inputs, priors, model, context);
  if (continuous.length < inputs.length)
    throw model.refusal('densities of numbers beside counts of categories: put the numbers into bins (Discretize)');
  return importDensities(inputs, priors, model, context);
}

function countsOf(counts: XmlElement, classes: Classes): number[] {
  const numbers = classes.names.map(() => 0);
  for (const count of counts.all('TargetValueCount'))
    numbers[classes.indexOf(count.needs('value'), count)] = count.number('count');
  return numbers;
}

function importCounts(
  inputs: readonly XmlElement[],
  priors: readonly number[],
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  const threshold = model.number('threshold');
  const logs = priors.map((count) => logOf(count, model));
  const parts = inputs.map((input) => partsOf(input, threshold, context));
  const sums = logs.map(
    (intercept, k): ColumnSum => ({ kind: 'linear', intercept, parts: parts.map((own) => own[k]) }),
  );
  const isPair = sums.length === 2;
  const { intercept, terms } = writeSteps(isPair ? [leadOf(sums, model)] : sums, model);
  const parameters = { intercept: isPair ? intercept[0] : intercept, terms, link: isPair ? 'logit' : 'softmax' };
  return { family: 'additive', features: [...context.features], ...classNames(context), parameters };
}

function logOf(probability: number, element: XmlElement): number {
  if (probability > 0) return Math.log(probability);
  throw element.refusal(
    'a probability of 0, whose logarithm is no number: export with a threshold above 0, or with smoothed counts',
  );
}

/** The second sum minus the first. */
function leadOf([first, second]: readonly ColumnSum[], model: XmlElement): ColumnSum {
  const parts = second.parts.map((part, j) => {
    const at = ([a, b]: readonly Scalar[]) => (b as number) - (a as number);
    return compose('double', [first.parts[j], part], at, model, { isStep: true });
  });
  return { kind: 'linear', intercept: second.intercept - first.intercept, parts };
}

/** By class: the logarithm of the probability of a value. */
function partsOf(input: XmlElement, threshold: number, { classes, scope }: ModelContext): FieldFunction[] {
  const field = fieldOf(input, scope.find);
  const counts = new Map(
    input
      .all('PairCounts')
      .map((pair) => [
        parseScalar(pair.needs('value'), field.type, pair),
        countsOf(pair.needed('TargetValueCounts'), classes!),
      ]),
  );
  const cuts = [...counts.keys()].flatMap((value) => (typeof value === 'number' ? cutsAt(field, value) : []));
  const totals = classes!.names.map((_, k) => [...counts.values()].reduce((sum, own) => sum + own[k], 0));
  const logs = new Map(
    [...counts].map(([value, own]) => [
      value,
      own.map((count, k) => logOf(count === 0 ? threshold : count / totals[k], input)),
    ]),
  );
  return totals.map((_, k) =>
    compose('double', [field], ([value]) => logs.get(value)?.[k] ?? 0, input, { cuts, isStep: true }),
  );
}

function fieldOf(input: XmlElement, find: Lookup): FieldFunction {
  const derived = input.child('DerivedField');
  if (!derived) return find(input.needs('fieldName'), input);
  return castTo(readExpression(derived, find), typeOf(derived), derived);
}

function importDensities(
  inputs: readonly XmlElement[],
  priors: readonly number[],
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  if (model.number('threshold') > 0)
    throw model.refusal(
      `densities that are at least the threshold ${model.number('threshold')}: export with threshold="0", or put the numbers into bins`,
    );
  const total = priors.reduce((sum, count) => sum + count, 0);
  const densities = inputs.map((input) => densitiesOf(input, context.classes!));
  const preprocessing = writeInputs(
    inputs.map((input) => fieldOf(input, context.scope.find)),
    context.features,
    model,
  );
  const byClass = (key: 'mean' | 'variance') => priors.map((_, k) => densities.map((own) => own[k][key]));
  return {
    family: 'gaussian-naive-bayes',
    features: [...context.features],
    ...classNames(context),
    ...(preprocessing.length && { preprocessing }),
    parameters: {
      means: byClass('mean'),
      variances: byClass('variance'),
      priors: priors.map((count) => count / total),
    },
  };
}

function densitiesOf(input: XmlElement, classes: Classes) {
  const stats = input.needed('TargetValueStats').all('TargetValueStat');
  const byClass = new Map(stats.map((stat) => [classes.indexOf(stat.needs('value'), stat), stat]));
  return classes.names.map((name, k) => {
    const stat = byClass.get(k);
    if (!stat) throw input.fault(`has no TargetValueStat of "${name}"`);
    const density = stat.child('GaussianDistribution');
    if (!density) throw stat.refusal('a density that is not Gaussian: put the numbers into bins (Discretize)');
    return { mean: density.number('mean'), variance: density.number('variance') };
  });
}
