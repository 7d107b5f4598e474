/**
 * GeneralRegressionModel: parameters with coefficients, and the cells that say what a parameter is.
 *
 *   no cell          the intercept
 *   factor = value   1 where the factor has the value, else 0
 *   covariate        the number itself
 *   several cells    a product of fields: refused
 *
 * Unlike in a RegressionModel, a missing factor has no result.
 */
import type { FieldFunction } from '../fields/expression.js';
import type { Lookup } from '../fields/transformations.js';
import { type Classes, type DocumentPart, type ModelContext, readRescaling } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type ColumnSum, times } from './linear-sum.js';
import {
  type ClassSum,
  type RegressionLink,
  writeClassifier,
  writeLinear,
  writeRegressor,
} from './regression-links.js';
import { indicator } from './regression-model.js';

const TYPES = ['regression', 'generalLinear', 'generalizedLinear', 'multinomialLogistic'] as const;
type ModelType = (typeof TYPES)[number];

const LINKS: Readonly<Record<string, RegressionLink>> = { identity: 'none', log: 'exp', logit: 'logit' };

export function importGeneralRegression(model: XmlElement, context: ModelContext): DocumentPart {
  const type = typeOfModel(model);
  const { factor, constant } = readRescaling(model);
  if (factor !== 1 || constant !== 0) throw model.refusal('Targets that rescale: rescale after the model');
  const reader = new ParameterReader(model, context.scope.find);
  if (context.classes) return importClasses(type, reader, model, context);
  const sum = withOffset(reader.sumOf(undefined), type, model, context.scope.find);
  return writeRegressor(sum, type === 'generalizedLinear' ? linkOf(model) : 'none', model, context);
}

function typeOfModel(model: XmlElement): ModelType {
  const text = model.needs('modelType');
  const type = TYPES.find((known) => known === text);
  if (!type) throw model.refusal(`modelType="${text.slice(0, 40)}"; known are ${TYPES.join(', ')}`);
  for (const key of ['trialsVariable', 'trialsValue'])
    if (model.get(key) !== undefined)
      throw model.refusal(`a number of trials (${key}): predict the share, and multiply after the model`);
  return type;
}

function linkOf(model: XmlElement): RegressionLink {
  const text = model.needs('linkFunction');
  if (Object.hasOwn(LINKS, text)) return LINKS[text];
  throw model.refusal(
    `linkFunction="${text.slice(0, 40)}"; known are ${Object.keys(LINKS).join(', ')}: fit the model with one of them`,
  );
}

function withOffset(sum: ColumnSum, type: ModelType, model: XmlElement, find: Lookup): ColumnSum {
  if (type !== 'generalizedLinear') return sum;
  const name = model.get('offsetVariable');
  const parts = name === undefined ? sum.parts : [...sum.parts, times(1, find(name, model), model)];
  return { ...sum, parts, intercept: sum.intercept + (name === undefined ? model.number('offsetValue', 0) : 0) };
}

function importClasses(
  type: ModelType,
  reader: ParameterReader,
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  const classes = context.classes!;
  const reference = referenceOf(reader, classes, model);
  const sumOf = (index: number): ColumnSum => {
    const own = index === reference ? null : reader.sumOf(reader.hasOwn(index, classes) ? index : undefined, classes);
    return own ? withOffset(own, type, model, context.scope.find) : { kind: 'linear', intercept: 0, parts: [] };
  };
  const sums = classes.names.map((_, index): ClassSum => ({ index, sum: sumOf(index), isEmpty: index === reference }));
  const ordered = [...sums.filter(({ index }) => index !== reference), sums[reference]];
  if (type === 'multinomialLogistic') return writeClassifier(ordered, 'softmax', model, context);
  const link = type === 'generalizedLinear' ? linkOf(model) : null;
  if (!link || link === 'exp' || classes.names.length > 2)
    throw model.refusal(
      'classes of this modelType and link: use multinomialLogistic, or generalizedLinear with linkFunction="logit" for two classes',
    );
  if (link === 'logit') return writeClassifier(ordered, 'logit', model, context);
  const own = sums[1 - reference].sum as ColumnSum;
  const rest: ColumnSum = {
    kind: 'linear',
    intercept: 1 - own.intercept,
    parts: own.parts.map((part) => times(-1, part, model)),
  };
  return writeLinear(reference === 1 ? [own, rest] : [rest, own], 'none', model, context);
}

/** The class without parameters of its own. */
function referenceOf(reader: ParameterReader, classes: Classes, model: XmlElement): number {
  const named = model.get('targetReferenceCategory');
  if (named !== undefined) return classes.indexOf(named, model);
  const without = classes.names.flatMap((_, index) => (reader.hasOwn(index, classes) ? [] : index));
  if (without.length === 1) return without[0];
  throw model.fault('names no targetReferenceCategory, and not exactly one class is without parameters');
}

class ParameterReader {
  private readonly cells: readonly XmlElement[];
  private readonly predictors: readonly XmlElement[];
  private readonly factors: ReadonlySet<string>;
  private readonly covariates: ReadonlySet<string>;

  constructor(
    model: XmlElement,
    private readonly find: Lookup,
  ) {
    this.cells = model.needed('ParamMatrix').all('PCell');
    this.predictors = model.child('PPMatrix')?.all('PPCell') ?? [];
    this.factors = namesIn(model.child('FactorList'));
    this.covariates = namesIn(model.child('CovariateList'));
    const own = this.predictors.find((cell) => cell.get('targetCategory') !== undefined);
    if (own) throw own.refusal('cells of one class only: write the same cells for all classes');
  }

  hasOwn(index: number, classes: Classes): boolean {
    return this.cells.some((cell) => this.classOf(cell, classes) === index);
  }

  /** `index`: undefined for the cells without a class. */
  sumOf(index: number | undefined, classes?: Classes): ColumnSum {
    const cells = this.cells.filter((cell) => this.classOf(cell, classes) === index);
    const sum = { intercept: 0, parts: [] as FieldFunction[] };
    for (const cell of cells) {
      const beta = cell.number('beta');
      const part = this.partOf(cell.needs('parameterName'), beta);
      if (part) sum.parts.push(part);
      else sum.intercept += beta;
    }
    return { kind: 'linear', ...sum };
  }

  private classOf(cell: XmlElement, classes?: Classes): number | undefined {
    const text = cell.get('targetCategory');
    return text === undefined || !classes ? undefined : classes.indexOf(text, cell);
  }

  /** Null: the intercept. */
  private partOf(parameter: string, beta: number): FieldFunction | null {
    const cells = this.predictors.filter((cell) => cell.get('parameterName') === parameter);
    const [cell, ...others] = cells;
    if (!cell) return null;
    if (others.length) {
      const names = cells.map((own) => own.needs('predictorName')).join(' x ');
      throw cell.refusal(`a product of fields (${names}): compute the product before the model, as a field of its own`);
    }
    const name = cell.needs('predictorName');
    const field = this.find(name, cell);
    if (this.factors.has(name)) return indicator(field, cell.needs('value'), beta, null, cell);
    if (!this.covariates.has(name)) throw cell.fault(`"${name.slice(0, 60)}" is neither a factor nor a covariate`);
    const exponent = cell.number('value', 1);
    if (exponent !== 1)
      throw cell.refusal(
        `a power of a number ("${name}" to the ${exponent}): put the number into bins, or fit without powers`,
      );
    return times(beta, field, cell);
  }
}

function namesIn(list: XmlElement | undefined): ReadonlySet<string> {
  const predictors = list?.all('Predictor') ?? [];
  const contrasted = predictors.find((predictor) => predictor.child('Matrix'));
  if (contrasted) throw contrasted.refusal('a matrix of contrasts: fit with treatment contrasts (0 and 1)');
  return new Set(predictors.map((predictor) => predictor.get('name') ?? predictor.needs('field')));
}
