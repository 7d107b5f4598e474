/**
 * modelChain: models whose results are fields of a RegressionModel at the end, which links them. Boosters are written so: a sum of trees for
 * each class, and softmax or logit of the sums. The whole is one model: the trees, scaled by the coefficients, with the link.
 *
 *   output     predictedValue, or a transformedValue that is a line of the predicted value
 */
import { type FieldScope, nestedScope } from '../fields/field-scope.js';
import { type DocumentPart, type ModelContext, readRescaling, taskOf } from '../model-context.js';
import type { ForestSum } from '../trees/forest.js';
import { readForestSum, type Segment } from '../trees/segments.js';
import type { XmlElement } from '../xml/xml-element.js';
import { addSums, type ColumnSum, scaleSum } from './linear-sum.js';
import { readOutputs } from './output-fields.js';
import { type ClassSum, linkOf, type ResultSum, writeClassifier, writeRegressor } from './regression-links.js';
import { checkClasses, fieldOf, importRegression, isEmpty, readRegressor } from './regression-model.js';

/** Results of the models before, by the name of the output field. */
type Results = Map<string, ResultSum>;

export function readChain(segments: readonly Segment[], model: XmlElement, context: ModelContext): DocumentPart {
  const { factor, constant } = readRescaling(model);
  if (factor !== 1 || constant !== 0) throw model.refusal('Targets of a modelChain: write them in its last model');
  const results: Results = new Map();
  for (const segment of segments.slice(0, -1)) addResults(segment.model, context.scope, results);
  const last = segments.at(-1)!.model;
  if (last.name !== 'RegressionModel')
    throw last.refusal(
      `a ${last.name} at the end of a modelChain: the last model is a RegressionModel that links the results of the others`,
    );
  const tables = last.all('RegressionTable');
  const own = { ...context, scope: nestedScope(context.scope, last) };
  if (!tables.some((table) => table.children.some((child) => results.has(nameOf(child)))))
    return importRegression(last, own);
  const link = linkOf(last);
  if (!context.classes) return writeRegressor(linked(tables[0], results), link, last, own);
  const sums = tables.map(
    (table): ClassSum => ({
      index: context.classes!.indexOf(table.needs('targetCategory'), table),
      sum: linked(table, results),
      isEmpty: isEmpty(table),
    }),
  );
  checkClasses(sums, context.classes.names.length, last);
  return writeClassifier(sums, link, last, own);
}

const nameOf = (predictor: XmlElement): string => predictor.get('name') ?? predictor.get('field') ?? '';

function addResults(model: XmlElement, outer: FieldScope, results: Results): void {
  if (taskOf(model) !== 'regression')
    throw model.refusal(
      'a classifier before the end of a modelChain: write its sums as results, and the link at the end',
    );
  const scope = nestedScope(outer, model);
  const result = readResult(model, scope);
  for (const { name, factor, constant } of readOutputs(model))
    results.set(name, rescaled(result, factor, constant, model));
}

function readResult(model: XmlElement, scope: FieldScope): ResultSum {
  if (model.name === 'TreeModel' || model.name === 'MiningModel') return readForestSum(model, scope);
  if (model.name === 'RegressionModel' && linkOf(model) === 'none') return readRegressor(model, scope.find);
  throw model.refusal(
    `a ${model.name} before the end of a modelChain: results are sums of trees, or of a RegressionModel without normalization`,
  );
}

function rescaled(sum: ResultSum, factor: number, constant: number, element: XmlElement): ResultSum {
  if (sum.kind === 'forest') {
    const trees = factor === 1 ? sum.trees : sum.trees.map((tree) => ({ ...tree, factor: tree.factor * factor }));
    return { ...sum, trees, constant: sum.constant * factor + constant };
  }
  const scaled = scaleSum(factor, sum, element);
  return { ...scaled, intercept: scaled.intercept + constant };
}

/** The sum of a table over results of models before. */
function linked(table: XmlElement, results: Results): ResultSum {
  const parts = table.children
    .filter(({ name }) => name.endsWith('Predictor') || name === 'PredictorTerm')
    .map((predictor) => {
      const result = results.get(nameOf(predictor));
      const isPlain = predictor.name === 'NumericPredictor' && predictor.number('exponent', 1) === 1;
      if (!result || !isPlain)
        throw predictor.refusal(
          `a predictor beside results of models before ("${fieldOf(predictor)}"): the last model of a chain reads their results only`,
        );
      return rescaled(result, predictor.number('coefficient'), 0, table);
    });
  return rescaled(total(parts, table), 1, table.number('intercept', 0), table);
}

function total(parts: readonly ResultSum[], table: XmlElement): ResultSum {
  const forests = parts.filter((part): part is ForestSum => part.kind === 'forest');
  const lines = parts.filter((part): part is ColumnSum => part.kind === 'linear');
  if (!forests.length) return addSums(lines);
  if (lines.length) throw table.refusal('a sum of trees and lines: write one kind of model');
  return {
    kind: 'forest',
    trees: forests.flatMap(({ trees }) => trees),
    constant: forests.reduce((sum, { constant }) => sum + constant, 0),
    isSingle: forests.some(({ isSingle }) => isSingle),
  };
}
