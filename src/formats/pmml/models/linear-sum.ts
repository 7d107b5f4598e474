/**
 * Sums of functions of single columns, one for each output:  z_k = intercept_k + Σ_j f_kj(x_j).
 *
 *   linear     every f of a number is a line:  a linear family. Functions of a category are weights of its columns
 *   stepwise   every f of a number is a step function:  the family `additive`
 *   mixed      refused by name
 *
 * A missing value that counts as a fixed value is imputed. A missing category that counts like one of the categories is imputed as that.
 */
import type { FeatureDocument, PreprocessingStep } from '../../../documents/model-document.js';
import { widthOf } from '../../one-hot-words.js';
import {
  type CategorySource,
  compose,
  type FieldFunction,
  mergeCuts,
  piecesOf,
  type Source,
} from '../fields/expression.js';
import type { Scalar } from '../fields/scalar.js';
import type { XmlElement } from '../xml/xml-element.js';

export interface ColumnSum {
  readonly kind: 'linear';
  readonly intercept: number;
  /** Numbers by column, with their coefficients. */
  readonly parts: readonly FieldFunction[];
}

/** coefficient x f */
export function times(coefficient: number, part: FieldFunction, element: XmlElement): FieldFunction {
  const line = part.line && {
    slope: part.line.slope * coefficient,
    offset: part.line.offset * coefficient,
    fill: part.line.fill,
  };
  const at = ([value]: readonly Scalar[]) => (value === null ? null : coefficient * Number(value));
  return compose('double', [part], at, element, { line });
}

export const scaleSum = (factor: number, { intercept, parts }: ColumnSum, element: XmlElement): ColumnSum => ({
  kind: 'linear',
  intercept: intercept * factor,
  parts: factor === 1 ? parts : parts.map((part) => times(factor, part, element)),
});

export const addSums = (sums: readonly ColumnSum[]): ColumnSum => ({
  kind: 'linear',
  intercept: sums.reduce((total, { intercept }) => total + intercept, 0),
  parts: sums.flatMap(({ parts }) => parts),
});

/** The functions of one column in all outputs. */
interface ColumnEffect {
  readonly source: Source;
  /** By output. */
  readonly parts: readonly (readonly FieldFunction[])[];
}

export interface LinearColumns {
  readonly kind: 'linear';
  /** By output. */
  readonly weights: number[][];
  readonly bias: number[];
  readonly preprocessing: PreprocessingStep[];
}

export interface WrittenTerms {
  readonly kind: 'additive';
  readonly intercept: number[];
  readonly terms: Record<string, unknown>[];
}

export function writeSum(
  sums: readonly ColumnSum[],
  features: readonly FeatureDocument[],
  model: XmlElement,
): LinearColumns | WrittenTerms {
  const effects = effectsOf(sums, model);
  const constants = constantsOf(sums);
  const bent = effects.filter((effect) => !isLinear(effect));
  if (!bent.length && effects.every(isImputable)) return linearColumns(effects, constants, features);
  const lines = effects.filter((effect) => !isStepwise(effect));
  if (!lines.length) return additiveTerms(effects, constants);
  if (!bent.length) return linearColumns(effects, constants, features);
  throw model.refusal(
    `a sum of straight lines (${namesOf(lines)}) and of bins or curves (${namesOf(bent)}): put all numbers into bins, or none`,
  );
}

/** Sums of steps only, whatever their columns are. */
export function writeSteps(sums: readonly ColumnSum[], model: XmlElement): WrittenTerms {
  return additiveTerms(effectsOf(sums, model), constantsOf(sums));
}

/** Functions of columns that have to be lines, such as the inputs of a network: by function, the weights of the columns. */
export function writeInputs(
  inputs: readonly FieldFunction[],
  features: readonly FeatureDocument[],
  model: XmlElement,
): PreprocessingStep[] {
  const sums = inputs.map((input): ColumnSum => ({ kind: 'linear', intercept: 0, parts: [input] }));
  const effects = effectsOf(sums, model);
  const bent = effects.filter((effect) => !isLinear(effect));
  if (bent.length)
    throw model.refusal(
      `inputs that are bins or curves of numbers (${namesOf(bent)}): give the model the numbers, scaled at most`,
    );
  const { weights, bias, preprocessing } = linearColumns(effects, constantsOf(sums), features);
  const isOwn = weights.every(
    (row, k) => bias[k] === 0 && row.length === weights.length && row.every((w, c) => w === +(c === k)),
  );
  return isOwn ? preprocessing : [...preprocessing, { type: 'affine', matrix: weights, offset: bias }];
}

const constantsOf = (sums: readonly ColumnSum[]): number[] =>
  sums.map(({ intercept, parts }) =>
    parts.reduce((sum, part) => (part.source ? sum : sum + Number(part.at(null))), intercept),
  );

const namesOf = (effects: readonly ColumnEffect[]): string => effects.map(({ source }) => source.name).join(', ');

function effectsOf(sums: readonly ColumnSum[], model: XmlElement): ColumnEffect[] {
  const sources = new Map<number, Source>();
  for (const { parts } of sums) for (const { source } of parts) if (source) sources.set(source.index, source);
  const ordered = [...sources.values()].toSorted((a, b) => a.index - b.index);
  const effects = ordered.map((source) => ({
    source,
    parts: sums.map(({ parts }) => parts.filter((part) => part.source === source)),
  }));
  for (const effect of effects) checkPresent(effect, model);
  return effects;
}

const isLinear = ({ source, parts }: ColumnEffect): boolean =>
  source.kind === 'category' || parts.flat().every(({ line }) => line);
const isStepwise = ({ parts }: ColumnEffect): boolean => parts.flat().every(({ isStep }) => isStep);

/** The sum of the functions at a value, by output. Null: one of them is missing. */
function valuesAt({ source, parts }: ColumnEffect, value: Scalar): number[] | null {
  if (value === null && source.isRequired) return null;
  const sums = parts.map((own) => {
    const values = own.map((part) => part.at(value));
    return values.includes(null) ? null : values.reduce<number>((sum, part) => sum + Number(part), 0);
  });
  return sums.includes(null) ? null : (sums as number[]);
}

/** Every present value needs a result. */
function checkPresent(effect: ColumnEffect, model: XmlElement): void {
  const { source, parts } = effect;
  const own = (value: Scalar) => valuesAt(effect, value);
  const cuts = mergeCuts(parts.flat().flatMap((part) => part.cuts));
  const all = source.kind === 'category' ? source.values.map(own) : piecesOf(cuts, own);
  if (!all.includes(null)) return;
  throw model.refusal(
    `values of "${source.name}" without a result: give all values a bin, a category or a defaultValue`,
  );
}

/** Whether a missing value is invalid, or counts as a value that can be imputed. */
function isImputable(effect: ColumnEffect): boolean {
  return valuesAt(effect, null) === null || fillOf(effect) !== null;
}

/** The column's value that a missing value counts as: a number, or a category by index. */
function fillOf(effect: ColumnEffect): number | null {
  const { source, parts } = effect;
  const missing = valuesAt(effect, null);
  if (missing === null) return null;
  if (source.kind === 'number') {
    const fills = new Set(parts.flat().map(({ line }) => line?.fill ?? null));
    const [fill] = fills;
    return fills.size === 1 ? fill : null;
  }
  const code = source.values.findIndex((value) => valuesAt(effect, value)?.every((own, k) => own === missing[k]));
  return code < 0 ? null : code;
}

function linearColumns(
  effects: readonly ColumnEffect[],
  constants: readonly number[],
  features: readonly FeatureDocument[],
): LinearColumns {
  const widths = features.map((feature) => (feature.type === 'categorical' ? widthOf(feature) : 1));
  const starts = widths.map((_, f) => widths.slice(0, f).reduce((sum, width) => sum + width, 0));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const weights = constants.map(() => Array<number>(total).fill(0));
  const bias = [...constants];
  const imputed = Array<number | null>(total).fill(null);
  for (const effect of effects) {
    const { source } = effect;
    const start = starts[source.index];
    for (const k of constants.keys()) {
      const { offset, slopes } = weightsOf(effect, k);
      bias[k] += offset;
      for (const [c, slope] of slopes.entries()) weights[k][start + c] = slope;
    }
    const fill = fillOf(effect);
    if (fill === null) continue;
    const isOneHot = source.kind === 'category' && !source.isBoolean;
    for (let c = 0; c < widths[source.index]; c++) imputed[start + c] = isOneHot ? +(c === fill) : fill;
  }
  const preprocessing = imputed.some((value) => value !== null) ? [{ type: 'impute' as const, values: imputed }] : [];
  return { kind: 'linear', weights, bias, preprocessing };
}

/** The weights of a feature's columns in an output. */
function weightsOf({ source, parts }: ColumnEffect, k: number): { offset: number; slopes: number[] } {
  const own = { source, parts: [parts[k]] };
  const at = (value: Scalar) => valuesAt(own, value)![0];
  if (source.kind === 'number') {
    const lines = parts[k].map(({ line }) => line!);
    return {
      offset: lines.reduce((sum, line) => sum + line.offset, 0),
      slopes: [lines.reduce((sum, line) => sum + line.slope, 0)],
    };
  }
  if (source.isBoolean) return { offset: at(false), slopes: [at(true) - at(false)] };
  return { offset: 0, slopes: source.values.map(at) };
}

function additiveTerms(effects: readonly ColumnEffect[], constants: readonly number[]): WrittenTerms {
  const scoreOf = (values: number[]) => (constants.length === 1 ? values[0] : values);
  const terms = effects.map((effect) => {
    const { source } = effect;
    const missing = valuesAt(effect, null);
    const own = (value: Scalar) => scoreOf(valuesAt(effect, value)!);
    const ends = missing ? { missing: scoreOf(missing) } : {};
    return source.kind === 'category'
      ? { feature: source.name, categories: categoryScores(source, own), ...ends }
      : { ...binsOf(effect, source.name, own), ...ends };
  });
  return { kind: 'additive', intercept: [...constants], terms };
}

const categoryScores = ({ values }: CategorySource, own: (value: Scalar) => unknown) =>
  Object.fromEntries(values.map((value) => [String(value), own(value)]));

function binsOf({ parts }: ColumnEffect, feature: string, own: (value: Scalar) => number | number[]) {
  const cuts = mergeCuts(parts.flat().flatMap((part) => part.cuts));
  const values = piecesOf(cuts, own);
  const isChange = (k: number) => String(values[k]) !== String(values[k + 1]);
  const kept = cuts.filter((_, k) => isChange(k));
  const isThrough = kept.length > 0 && kept.every((cut) => cut.isThrough && !cut.isSingle);
  return {
    feature,
    cuts: kept.map(({ start, value }) => (isThrough ? value : start)),
    comparison: isThrough ? '<=' : '<',
    values: values.filter((_, k) => k === 0 || isChange(k - 1)),
  };
}
