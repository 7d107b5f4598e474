/**
 * RegressionModel: a table of coefficients for a number, or for each class.
 *
 *   s = intercept + Σ coefficient x number + Σ coefficient of the category that holds + coefficient x term of one field
 *
 * A missing number has no result. A missing category adds nothing.
 */
import type { FieldFunction } from '../fields/expression.js';
import { compose, constant, cutsAt } from '../fields/expression.js';
import { isNumeric, parseScalar } from '../fields/scalar.js';
import type { Lookup } from '../fields/transformations.js';
import { type DocumentPart, type ModelContext, readRescaling } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type ColumnSum, scaleSum, times } from './linear-sum.js';
import { type ClassSum, linkOf, writeClassifier, writeRegressor } from './regression-links.js';

export function importRegression(model: XmlElement, context: ModelContext): DocumentPart {
  const tables = model.all('RegressionTable');
  const link = linkOf(model);
  if (context.classes) return writeClassifier(classSums(tables, model, context), link, model, context);
  return writeRegressor(readRegressor(model, context.scope.find), link, model, context);
}

/** The sum of a regressor, before its link. */
export function readRegressor(model: XmlElement, find: Lookup): ColumnSum {
  const tables = model.all('RegressionTable');
  if (tables.length !== 1) throw model.fault(`a regressor has one RegressionTable, and there are ${tables.length}`);
  const { factor, constant: added } = readRescaling(model);
  if (linkOf(model) !== 'none' && (factor !== 1 || added !== 0))
    throw model.refusal('Targets that rescale behind a normalization: rescale after the model');
  const sum = scaleSum(factor, readTable(tables[0], find), model);
  return { ...sum, intercept: sum.intercept + added };
}

function classSums(tables: readonly XmlElement[], model: XmlElement, { classes, scope }: ModelContext): ClassSum[] {
  const sums = tables.map((table) => ({
    index: classes!.indexOf(table.needs('targetCategory'), table),
    sum: readTable(table, scope.find),
    isEmpty: isEmpty(table),
  }));
  checkClasses(sums, classes!.names.length, model);
  return sums;
}

export function checkClasses(sums: readonly ClassSum[], count: number, model: XmlElement): void {
  if (new Set(sums.map(({ index }) => index)).size === count && sums.length === count) return;
  throw model.fault(`expected a RegressionTable for each of ${count} classes, and there are ${sums.length}`);
}

export const isEmpty = (table: XmlElement): boolean =>
  !PREDICTORS.some((name) => table.child(name)) && table.number('intercept', 0) === 0;

const PREDICTORS = ['NumericPredictor', 'CategoricalPredictor', 'PredictorTerm'];

function readTable(table: XmlElement, find: Lookup): ColumnSum {
  const parts = [
    ...table.all('NumericPredictor').map((predictor) => numericPart(predictor, find)),
    ...table.all('CategoricalPredictor').map((predictor) => categoricalPart(predictor, find)),
    ...table.all('PredictorTerm').map((term) => termPart(term, find)),
  ];
  return { kind: 'linear', intercept: table.number('intercept', 0), parts };
}

/** The name of the field of a predictor. */
export const fieldOf = (predictor: XmlElement): string => predictor.get('name') ?? predictor.needs('field');

function numericPart(predictor: XmlElement, find: Lookup): FieldFunction {
  const name = fieldOf(predictor);
  const exponent = predictor.number('exponent', 1);
  if (exponent !== 1)
    throw predictor.refusal(
      `a power of a number ("${name}" to the ${exponent}): put the number into bins, or fit without powers`,
    );
  return numberPart(find(name, predictor), predictor.number('coefficient'), predictor);
}

function numberPart(field: FieldFunction, coefficient: number, element: XmlElement): FieldFunction {
  if (isNumeric(field.type) || field.type === 'boolean') return times(coefficient, field, element);
  throw element.fault('expected a field of numbers');
}

function categoricalPart(predictor: XmlElement, find: Lookup): FieldFunction {
  const field = find(fieldOf(predictor), predictor);
  return indicator(field, predictor.needs('value'), predictor.number('coefficient'), 0, predictor);
}

/** The coefficient where a field has a value, else 0. `missing`: the result for a missing value. */
export function indicator(
  field: FieldFunction,
  text: string,
  coefficient: number,
  missing: number | null,
  element: XmlElement,
): FieldFunction {
  const value = parseScalar(text, field.type, element);
  if (!field.source) return constant(field.at(null) === value ? coefficient : 0, 'double');
  const cuts = typeof value === 'number' ? cutsAt(field, value) : [];
  const at = (own: unknown) => (own === null ? missing : own === value ? coefficient : 0);
  return compose('double', [field], ([own]) => at(own), element, { cuts, isStep: true });
}

function termPart(term: XmlElement, find: Lookup): FieldFunction {
  const references = term.all('FieldRef');
  const names = references.map((reference) => reference.needs('field')).join(' x ');
  if (references.length !== 1)
    throw term.refusal(
      `an interaction of fields (${names}): compute the product before the model, as a field of its own`,
    );
  return numberPart(find(references[0].needs('field'), references[0]), term.number('coefficient'), term);
}
