/**
 * From sums to a document, by the normalization of a regression:
 *
 *   numbers       none: the sum;  exp: e^s;  logit, softmax: 1 / (1 + e^-s)
 *   two classes   logit, or softmax where the second sum is 0:  p_1 = 1 / (1 + e^-s_1), p_2 = 1 - p_1
 *                 none:  p_1 = s_1 within 0 and 1
 *   classes       softmax;  logit: sigmoids that are divided by their sum;  none: the last is 1 minus all others
 *
 * The document has the classes in the order of the DataDictionary.
 */
import type { DecisionDocument } from '../../../documents/decision/decision-document.js';
import type { DocumentPart, ModelContext } from '../model-context.js';
import { classNames, type ForestSum, writeSums } from '../trees/forest.js';
import type { XmlElement } from '../xml/xml-element.js';
import { addSums, type ColumnSum, scaleSum, writeSum } from './linear-sum.js';

export type RegressionLink = 'none' | 'logit' | 'softmax' | 'exp';

export type ResultSum = ColumnSum | ForestSum;

/** The sum of a class, by its index. */
export interface ClassSum {
  readonly index: number;
  readonly sum: ResultSum;
  /** Whether the sum is 0 for every row. */
  readonly isEmpty: boolean;
}

const LINKS: readonly RegressionLink[] = ['none', 'logit', 'softmax', 'exp'];

export function linkOf(model: XmlElement): RegressionLink {
  const text = model.get('normalizationMethod') ?? 'none';
  const link = LINKS.find((known) => known === text);
  if (link) return link;
  throw model.refusal(
    `normalizationMethod="${text.slice(0, 40)}"; known are ${LINKS.join(', ')}: fit the model with a logit link`,
  );
}

/** A logistic score of a regressor is a calibration of its sum. */
const LOGISTIC: DecisionDocument = {
  inclusive: false,
  calibration: { type: 'sigmoid', slope: -1, intercept: 0 },
};
/** A sum within 0 and 1. */
const CLIPPED: DecisionDocument = {
  inclusive: false,
  calibration: { type: 'isotonic', scores: [0, 1], values: [0, 1], interpolation: 'linear' },
};

export function writeRegressor(
  sum: ResultSum,
  link: RegressionLink,
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  const isLogistic = link === 'logit' || link === 'softmax';
  const own = link === 'exp' ? 'exp' : 'identity';
  const part = sum.kind === 'forest' ? writeSums([sum], own, model, context) : writeLinear([sum], own, model, context);
  return isLogistic ? { ...part, decision: LOGISTIC } : part;
}

export function writeClassifier(
  sums: readonly ClassSum[],
  link: RegressionLink,
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  if (link === 'exp') throw model.refusal('normalizationMethod="exp" of classes: use softmax');
  const [first, second] = sums;
  const isPair = sums.length === 2 && (link !== 'softmax' || second.isEmpty);
  if (isPair) return link === 'none' ? writeClipped(first, model, context) : writePair(first, model, context);
  const ordered = context.classes!.names.map((_, k) => sums.find(({ index }) => index === k)!.sum);
  if (link !== 'none') return writeSeveral(ordered, link, model, context);
  const others = sums.slice(0, -1).map(({ sum }) => sum);
  const last = sums.at(-1)!.index;
  return writeSeveral(
    ordered.map((sum, k) => (k === last ? restOf(others, model) : sum)),
    link,
    model,
    context,
  );
}

/** 1 minus all other sums. */
function restOf(others: readonly ResultSum[], model: XmlElement): ColumnSum {
  const linear = others.map((sum) => linearOf(sum, model));
  const rest = scaleSum(-1, addSums(linear), model);
  return { ...rest, intercept: 1 + rest.intercept };
}

function linearOf(sum: ResultSum, model: XmlElement): ColumnSum {
  if (sum.kind === 'linear') return sum;
  throw model.refusal('trees without a normalization of their sums: use normalizationMethod="softmax" or "logit"');
}

/** The sum that rises with the second class of the document. */
function writePair({ index, sum }: ClassSum, model: XmlElement, context: ModelContext): DocumentPart {
  const sign = index === 1 ? 1 : -1;
  if (sum.kind === 'linear') return writeLinear([scaleSum(sign, sum, model)], 'logit', model, context);
  const trees = sum.trees.map(({ seed, factor }) => ({ seed, factor: sign * factor }));
  return writeSums([{ ...sum, trees, constant: sign * sum.constant }], 'logit', model, context);
}

function writeClipped({ index, sum }: ClassSum, model: XmlElement, context: ModelContext): DocumentPart {
  const own = linearOf(sum, model);
  const second = index === 1 ? own : restOf([own], model);
  return { ...writeLinear([second], 'sign', model, context), decision: CLIPPED };
}

function writeSeveral(
  sums: readonly ResultSum[],
  link: Exclude<RegressionLink, 'exp'>,
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  if (sums.every((sum) => sum.kind === 'linear')) return writeLinear(sums, link, model, context);
  const forests = sums.map((sum) => {
    if (sum.kind === 'forest') return sum;
    throw model.refusal('sums of trees beside sums of lines: write one kind of model for all classes');
  });
  if (link === 'softmax') return writeSums(forests, 'softmax', model, context);
  throw model.refusal(`trees with normalizationMethod="${link}" of several classes: use softmax`);
}

type LinearLink = 'identity' | 'exp' | 'logit' | 'sign' | 'softmax' | 'none';

/** By link: the linear family, and the link of the family `additive`. Null: it has none. */
const FAMILIES: Readonly<Record<LinearLink, { family: string; additive: string | null; several?: string }>> = {
  identity: { family: 'linear-regression', additive: 'identity' },
  exp: { family: 'poisson-regression', additive: 'exp' },
  logit: { family: 'logistic-regression', additive: 'logit', several: 'sigmoid' },
  sign: { family: 'hyperplane', additive: 'identity' },
  softmax: { family: 'softmax-regression', additive: 'softmax', several: 'softmax' },
  none: { family: 'softmax-regression', additive: 'identity', several: 'none' },
};

export function writeLinear(
  sums: readonly ColumnSum[],
  link: LinearLink,
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  const { features } = context;
  const written = writeSum(sums, features, model);
  const { family, additive, several } = FAMILIES[link];
  const common = { features: [...features], ...classNames(context) };
  if (written.kind === 'linear') {
    const { weights, bias, preprocessing } = written;
    const steps = preprocessing.length ? { preprocessing } : {};
    if (sums.length === 1) return { ...common, ...steps, family, parameters: { weights: weights[0], bias: bias[0] } };
    const normalization = several === 'softmax' ? {} : { normalization: several };
    return { ...common, ...steps, family: 'softmax-regression', parameters: { weights, bias, ...normalization } };
  }
  const { intercept, terms } = written;
  if (sums.length > 1 && link === 'logit')
    throw model.refusal('bins with normalizationMethod="logit" of several classes: use softmax');
  const parameters = { intercept: sums.length === 1 ? intercept[0] : intercept, terms, link: additive };
  return { ...common, family: 'additive', parameters };
}
