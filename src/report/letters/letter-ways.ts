/** The answers of a result as blocks: the changes with their ranges, and exactly the proved facts about smaller changes. */
import type { CounterfactualDocument, Proof, RegionDocument } from '../../documents/result-document.js';
import { ruleOf } from '../../policy/rules.js';
import type { LetterContext } from './letter-context.js';
import { type LabelledValue, type LetterBlock, paragraph } from './letter-parts.js';
import type { LetterScores } from './letter-scores.js';

type Change = CounterfactualDocument['changes'][number];
type FeatureRange = RegionDocument['features'][string];
type NumberRange = Exclude<FeatureRange, { in: unknown }>;

export interface WayFrame {
  /** The rest of the sentence "would have led ...". */
  readonly goal: string;
  readonly scores: LetterScores;
  /** The target is a list of classes. */
  readonly isListed: boolean;
  /** `further`: the proof of a later answer does not compare the answer with the first, and no sentence tells it. */
  readonly place: 'first' | 'first-of-lever' | 'further';
}

export function wayBlocks(answer: CounterfactualDocument, frame: WayFrame, context: LetterContext): LetterBlock[] {
  const { words } = context;
  const { changes, region } = answer;
  const { goal, place } = frame;
  const count = changes.length;
  const intro =
    place === 'further' ? words.change.wouldAlsoHaveLed(goal, count) : words.change.wouldHaveLed(goal, count);
  const ranges = changes.filter(({ feature }) => isWide(region, feature));
  const facts = [
    ...(ranges.length ? [words.change.allWithin(ranges.length)] : []),
    words.change.othersStay,
    ...(ranges.length ? [exampleOf(ranges, context)] : []),
    after(answer, frame, context),
  ];
  return [
    paragraph(intro),
    { kind: 'changes', items: changeItems(changes, region, context), isAnswer: true },
    paragraph(facts.join(' ')),
    ...(place === 'further' ? [] : [paragraph(proofInWords(answer, place, context))]),
    ...pathBlocks(answer, context),
  ];
}

/** The score of an answer is that of one point of its ranges. */
function exampleOf(ranges: readonly Change[], context: LetterContext): string {
  const { words, names } = context;
  const values = ranges.map(({ feature, to }) => words.pair(titleOf(feature, context), names.value(feature, to)));
  return words.change.example(values.join('; '));
}

/** Whether more values than the one of the answer are proved. */
function isWide(region: RegionDocument | undefined, feature: string): boolean {
  const range = region && Object.hasOwn(region.features, feature) ? region.features[feature] : undefined;
  if (!range) return false;
  return 'in' in range ? range.in.length > 1 : range.from === undefined || range.from !== range.to;
}

/** Where the target lists classes, the class of the answer is told in place of its score. */
function after(
  { prediction, score }: CounterfactualDocument,
  { scores, isListed }: WayFrame,
  context: LetterContext,
): string {
  const { words, names } = context;
  if (typeof prediction === 'number') return words.change.valueAfter(scores.show(score));
  return isListed ? words.change.resultAfter(names.class(prediction)) : words.change.scoreAfter(scores.show(score));
}

function proofInWords(
  { proof, path }: CounterfactualDocument,
  place: WayFrame['place'],
  { words: { change }, format }: LetterContext,
): string {
  if (path) return change.enough;
  const told: Readonly<Record<Proof['kind'], () => string>> = {
    optimal: () => (place === 'first' ? change.proved : change.provedHere),
    gap: () =>
      proof.gap === null || proof.gap >= 1 ? change.smallestKnown : change.withinGap(format.percentUp(proof.gap)),
    heuristic: () => change.smallestKnown,
  };
  return told[proof.kind]();
}

export function changeItems(
  changes: readonly Change[],
  region: RegionDocument | undefined,
  context: LetterContext,
): LabelledValue[] {
  return changes.map((change) => {
    const { feature } = change;
    const range = region && Object.hasOwn(region.features, feature) ? region.features[feature] : undefined;
    return { label: titleOf(feature, context), value: changeInWords(change, range, context) };
  });
}

const titleOf = (name: string, { names }: LetterContext): string => names.find(name)?.title ?? names.list([name]);

function changeInWords({ feature, from, to }: Change, range: FeatureRange | undefined, context: LetterContext): string {
  const { words, names } = context;
  const wanted = range ? rangeInWords(feature, range, context) : names.value(feature, to);
  if (from === null) return words.change.firstGiven(wanted);
  const now = names.value(feature, from);
  return range && wanted !== names.value(feature, to)
    ? words.change.within(wanted, now)
    : words.change.instead(wanted, now);
}

function rangeInWords(name: string, range: FeatureRange, context: LetterContext): string {
  const { words, names, format } = context;
  if ('in' in range) return format.or(range.in.map((value) => names.value(name, value)));
  const { from, to } = openEnds(name, range, context);
  if (range.from !== undefined && range.from === range.to) return names.value(name, range.from);
  const low = from === undefined ? undefined : format.end(from, 1);
  const high = to === undefined ? undefined : format.end(to, -1);
  const shown = (text: string) => names.withUnit(name, text);
  if (low !== undefined && high !== undefined) return words.range.between(low, shown(high)) + stepsOf(name, context);
  if (low !== undefined) return words.range.atLeast(shown(low)) + stepsOf(name, context);
  if (high !== undefined) return words.range.atMost(shown(high)) + stepsOf(name, context);
  return words.range.anything;
}

/** An end at the limit of possible values is no news: `at most 610` instead of `between 0 and 610`. */
function openEnds(name: string, { from, to }: NumberRange, { names }: LetterContext): NumberRange {
  const feature = names.find(name)?.document;
  if (feature?.type !== 'continuous' && feature?.type !== 'integer') return { from, to };
  return { from: from === feature.min ? undefined : from, to: to === feature.max ? undefined : to };
}

/** A range holds for the values that the policy permits. */
function stepsOf(name: string, { policy, words, names }: LetterContext): string {
  const step = policy && ruleOf(policy, name).step;
  return step === undefined ? '' : words.range.inSteps(names.value(name, step));
}

/** A path of one step is the change itself. */
function pathBlocks({ path }: CounterfactualDocument, context: LetterContext): LetterBlock[] {
  if (!path || path.steps.length < 2) return [];
  const { words } = context;
  const items = path.steps.map(({ changes }) =>
    changeItems(changes, undefined, context)
      .map(({ label, value }) => words.pair(label, value))
      .join('; '),
  );
  return [paragraph(words.change.stepByStep), { kind: 'steps', items }];
}
