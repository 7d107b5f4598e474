/** Entries of a policy in words for a person. No path of the policy appears. Without the policy, rules are told without their numbers. */

import type { FeatureRuleDocument } from '../../documents/policy-document.js';
import { type Expression, ExpressionError } from '../../policy/expression.js';
import { parseExpression } from '../../policy/expression-parser.js';
import { ruleOf } from '../../policy/rules.js';
import type { LetterContext } from './letter-context.js';
import type { NamedFeature } from './letter-names.js';
import type { UnitPlace } from './letter-units.js';

const OF_FEATURE = /^features\.(.*)\.(change|min|max|maxIncrease|maxDecrease|step|allow)$/s;
const OF_LEVER = /^levers\.(.*)$/s;
const OF_CONSTRAINT = /^constraints\[(\d+)\]$/;

/** The rule that an entry stands for, without a full stop. */
export function ruleInWords(entry: string, context: LetterContext): string {
  const [, feature, key] = OF_FEATURE.exec(entry) ?? [];
  if (feature !== undefined) return featureRule(feature, key as keyof FeatureRuleDocument, context);
  const [, lever] = OF_LEVER.exec(entry) ?? [];
  if (lever !== undefined) return leverRule(lever, context);
  const [, constraint] = OF_CONSTRAINT.exec(entry) ?? [];
  if (constraint !== undefined) return constraintRule(Number(constraint), context);
  return wholeRule(entry, context);
}

/** Each rule once: without their numbers, several entries read the same. */
export function rulesInWords(entries: readonly string[], context: LetterContext): string[] {
  return [...new Set(entries.map((entry) => ruleInWords(entry, context)))];
}

/** The features of a lever, if the policy is known. */
export function leverFeatures(lever: string, { policy }: LetterContext): readonly string[] | undefined {
  return policy?.levers && Object.hasOwn(policy.levers, lever) ? policy.levers[lever] : undefined;
}

function leverRule(lever: string, context: LetterContext): string {
  const features = leverFeatures(lever, context);
  const { words, names } = context;
  return features ? words.rule.onlyThese(names.list(features)) : words.rule.onlySome;
}

function wholeRule(entry: string, { words, format, policy }: LetterContext): string {
  const { rule } = words;
  if (entry === 'margin') return rule.margin;
  if (entry === 'plausibility') return rule.plausible;
  if (entry !== 'maxChanges') return rule.other;
  return policy?.maxChanges === undefined
    ? rule.fewChanges
    : rule.mostChanges(policy.maxChanges, format.count(policy.maxChanges));
}

function featureRule(name: string, key: keyof FeatureRuleDocument, context: LetterContext): string {
  const { words, names, policy } = context;
  const feature = names.find(name);
  if (!feature) return words.rule.other;
  const rule = policy ? ruleOf(policy, name) : {};
  return words.pair(feature.title, toldRule(rule, key, feature, context));
}

/** A limit that the policy does not have is that of the background (policy/defaults.ts). */
function toldRule(
  rule: FeatureRuleDocument,
  key: keyof FeatureRuleDocument,
  feature: NamedFeature,
  context: LetterContext,
): string {
  if (rule[key] !== undefined) return SPECIAL[key](rule, feature, context);
  const isDefault = context.policy !== undefined && (key === 'min' || key === 'max');
  return isDefault ? context.words.rule.knownRange : GENERAL[key](context);
}

type General = (context: LetterContext) => string;
type Special = (rule: FeatureRuleDocument, feature: NamedFeature, context: LetterContext) => string;
type ByKey<T> = Readonly<Record<keyof FeatureRuleDocument, T>>;

const limits: General = ({ words }) => words.rule.limits;

/** Without the policy. The direction may be `never` and the list may be empty: no word may say that some changes are permitted. */
const GENERAL: ByKey<General> = {
  change: ({ words }) => words.rule.limited,
  min: limits,
  max: limits,
  maxIncrease: limits,
  maxDecrease: limits,
  step: ({ words }) => words.rule.steps,
  allow: ({ words }) => words.rule.limited,
};

const shown = (
  { document: { name } }: NamedFeature,
  value: number | undefined,
  { names }: LetterContext,
  place: UnitPlace = {},
): string => names.value(name, value ?? null, place);

const SPECIAL: ByKey<Special> = {
  change: ({ change }, feature, context) => directionInWords(change, feature, context),
  min: ({ min }, feature, context) => context.words.range.atLeast(shown(feature, min, context)),
  max: ({ max }, feature, context) => context.words.range.atMost(shown(feature, max, context)),
  maxIncrease: ({ maxIncrease }, feature, context) =>
    context.words.rule.maxIncrease(shown(feature, maxIncrease, context)),
  maxDecrease: ({ maxDecrease }, feature, context) =>
    context.words.rule.maxDecrease(shown(feature, maxDecrease, context)),
  step: ({ step }, feature, context) => context.words.rule.step(shown(feature, step, context, { isDative: true })),
  allow({ allow }, { document: { name } }, { words, names, format }) {
    if (!allow?.length) return words.rule.never;
    return words.rule.allow(format.or(allow.map((value) => words.quote(names.value(name, value)))));
  },
};

function directionInWords(
  change: FeatureRuleDocument['change'],
  { document: { type } }: NamedFeature,
  { words: { rule } }: LetterContext,
): string {
  if (change === 'never') return rule.never;
  if (change !== 'increase' && change !== 'decrease') return rule.limited;
  const isUp = change === 'increase';
  if (type === 'boolean') return isUp ? rule.onlyToYes : rule.onlyToNo;
  if (type === 'categorical') return isUp ? rule.higher : rule.lower;
  return isUp ? rule.increase : rule.decrease;
}

/** A constraint names its features. Its formula is for programs. */
function constraintRule(index: number, { policy, words, names }: LetterContext): string {
  const text = policy?.constraints[index];
  const found = text === undefined ? [] : namesIn(text).filter((name) => names.find(name));
  if (found.length > 1) return words.rule.fitTogether(names.list(found));
  const [only] = found.map((name) => names.find(name)!);
  return only ? words.pair(only.title, words.rule.condition) : words.rule.someFitTogether;
}

function namesIn(text: string): string[] {
  try {
    return [...new Set(namesOf(parseExpression(text)))];
  } catch (error) {
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}

function namesOf(node: Expression): string[] {
  if (node.kind === 'name') return [node.name];
  if (node.kind === 'number' || node.kind === 'text') return [];
  if (node.kind === 'negative' || node.kind === 'not') return namesOf(node.operand);
  if (node.kind === 'membership') return [node.operand, ...node.members].flatMap(namesOf);
  return [node.left, node.right].flatMap(namesOf);
}
