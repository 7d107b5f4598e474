/** The answers of a result as blocks: the changes with their ranges, and exactly the proved facts about smaller changes. */
import type { RowValue } from '../../documents/model-document.js';
import type { CounterfactualDocument, Proof } from '../../documents/result-document.js';
import { ruleOf } from '../../policy/rules.js';
import type { Conditions } from './letter-conditions.js';
import type { LetterContext } from './letter-context.js';
import { type LabelledValue, type LetterBlock, paragraph } from './letter-parts.js';
import { type ToldRange, type ToldValues, toldRange } from './letter-ranges.js';
import type { LetterScores } from './letter-scores.js';

type Change = CounterfactualDocument['changes'][number];

export interface WayFrame {
  /** The rest of the sentence "would have led ...". */
  readonly goal: string;
  /** The end of the sentence "no smaller change would have ...". */
  readonly done: string;
  /** The conditions of a claim about smaller changes. */
  readonly conditions: Conditions;
  readonly scores: LetterScores;
  /** The target is a list of classes. */
  readonly isListed: boolean;
  /** `further`: the proof of a later answer does not compare the answer with the first, and no sentence tells it. */
  readonly place: 'first' | 'first-of-lever' | 'further';
}

/** A change beside the range that the letter tells of it. */
interface ToldChange {
  readonly change: Change;
  /** Undefined: only the value of the answer. */
  readonly range: ToldValues | undefined;
}

export function wayBlocks(answer: CounterfactualDocument, frame: WayFrame, context: LetterContext): LetterBlock[] {
  const { words } = context;
  const { changes } = answer;
  const { goal, done, place } = frame;
  const count = changes.length;
  const intro =
    place === 'further' ? words.change.wouldAlsoHaveLed(goal, count) : words.change.wouldHaveLed(goal, count);
  const told = toldChanges(answer, place, context);
  const ranges = told.filter(({ range }) => range).map(({ change }) => change);
  const facts = [
    ...(ranges.length ? [words.change.allWithin(ranges.length, done)] : []),
    words.change.othersStay,
    ...(ranges.length ? [exampleOf(ranges, context)] : []),
    after(answer, frame, context),
  ];
  return [
    paragraph(intro),
    { kind: 'changes', items: told.map((one) => itemOf(one, context)), isAnswer: true },
    paragraph(facts.join(' ')),
    ...(place === 'further' ? [] : [paragraph(proofInWords(answer, told, frame, context))]),
    ...pathBlocks(answer, context),
  ];
}

/** A letter that says "no smaller change" tells no smaller change, except where the size is the number of changes. */
function toldChanges(
  { changes, region, proof, path }: CounterfactualDocument,
  place: WayFrame['place'],
  context: LetterContext,
): ToldChange[] {
  const isSmallest = place !== 'further' && proof.kind === 'optimal' && !path && context.policy?.cost?.norm !== 'l0';
  return changes.map((change) => ({ change, range: toldRange(change, region, isSmallest, context) }));
}

/** The score of an answer is that of one point of its ranges. */
function exampleOf(ranges: readonly Change[], context: LetterContext): string {
  const { words, names } = context;
  const values = ranges.map(({ feature, to }) => words.pair(names.list([feature]), names.value(feature, to)));
  return words.change.example(values.join(words.semicolon));
}

/** Where the target lists classes, the class of the answer is told in place of its score. */
function after(
  { prediction, score, band }: CounterfactualDocument,
  { scores, isListed }: WayFrame,
  context: LetterContext,
): string {
  const { words, names } = context;
  const inBand = band ? ` ${words.change.bandAfter(band)}` : '';
  if (typeof prediction === 'number') return `${words.change.valueAfter(scores.show(score))}${inBand}`;
  const reached = isListed
    ? words.change.resultAfter(names.class(prediction))
    : words.change.scoreAfter(scores.show(score));
  return `${reached}${inBand}`;
}

function proofInWords(
  { proof, path }: CounterfactualDocument,
  told: readonly ToldChange[],
  { place, done, conditions: { told: before, under } }: WayFrame,
  { words: { change }, format }: LetterContext,
): string {
  if (path) return change.enough;
  const known = told.some(reachesBefore) ? change.enough : change.smallestKnown;
  const sentences: Readonly<Record<Proof['kind'], () => readonly string[]>> = {
    optimal: () => [...before, place === 'first' ? change.proved(under, done) : change.provedHere(under, done)],
    gap: () =>
      proof.gap === null || proof.gap >= 1
        ? [known]
        : [...before, known, change.withinGap(format.percentUp(proof.gap), under)],
    heuristic: () => [known],
  };
  return sentences[proof.kind]().join(' ');
}

/** A range that begins before the value of the answer: smaller changes than the answer are known. */
function reachesBefore({ change: { from: now, to }, range }: ToldChange): boolean {
  if (!range || 'in' in range || typeof now !== 'number' || typeof to !== 'number') return false;
  return to > now ? (range.from ?? -Infinity) < to : (range.to ?? Infinity) > to;
}

/** Changes without ranges. */
export const changeItems = (changes: readonly Change[], context: LetterContext): LabelledValue[] =>
  changes.map((change) => itemOf({ change, range: undefined }, context));

function itemOf(told: ToldChange, context: LetterContext): LabelledValue {
  return { label: titleOf(told.change.feature, context), value: changeInWords(told, context) };
}

const titleOf = (name: string, { names }: LetterContext): string => names.find(name)?.title ?? names.list([name]);

function changeInWords({ change: { feature, from, to }, range }: ToldChange, context: LetterContext): string {
  const { words, names } = context;
  const wanted = range ? rangeInWords(feature, range, to, context) : names.value(feature, to);
  if (from === null) return words.change.firstGiven(wanted);
  const now = names.value(feature, from);
  return range ? words.change.within(wanted, now) : words.change.instead(wanted, now);
}

/** `between 2,600 and 4,000 EUR per month, in steps of 50 EUR per month`. `answer`: the value of the answer. */
export function rangeInWords(name: string, range: ToldValues, answer: RowValue, context: LetterContext): string {
  const { names, format } = context;
  if ('in' in range) return format.or(range.in.map((value) => names.value(name, value)));
  return intervalInWords(name, range, answer, context) + stepsOf(name, context);
}

function intervalInWords(name: string, range: ToldRange, answer: RowValue, context: LetterContext): string {
  const { words, names } = context;
  const { from, to } = openEnds(name, range, context);
  const endOf = (value: number, side: 1 | -1) => endInWords(name, value, side, { range, answer, context });
  const shown = (value: number, side: 1 | -1) => names.withUnit(name, value, endOf(value, side));
  if (from !== undefined && to !== undefined) {
    const [low, high] = [endOf(from, 1), shown(to, -1)];
    if (range.open === 'from') return words.range.aboveUpTo(low, high);
    return range.open === 'to' ? words.range.fromBelow(low, high) : words.range.between(low, high);
  }
  if (from !== undefined)
    return range.open === 'from' ? words.range.above(shown(from, 1)) : words.range.atLeast(shown(from, 1));
  if (to !== undefined)
    return range.open === 'to' ? words.range.below(shown(to, -1)) : words.range.atMost(shown(to, -1));
  return words.range.anything;
}

interface EndPlace {
  readonly range: ToldRange;
  readonly answer: RowValue;
  readonly context: LetterContext;
}

/** The answer is the example of the letter and lies within the shown range. The ends of a range in steps are values of the steps. */
function endInWords(name: string, end: number, side: 1 | -1, { range, answer, context }: EndPlace): string {
  const { format, policy } = context;
  if (policy && ruleOf(policy, name).step !== undefined) return format.number(end);
  const isOpen = range.open === (side > 0 ? 'from' : 'to');
  const reaches = (shown: number) =>
    typeof answer !== 'number' || side * (answer - shown) > 0 || (answer === shown && !isOpen);
  return format.end(end, side, reaches);
}

/** An end at the limit of possible values is no news: `at most 610` instead of `between 0 and 610`. */
function openEnds(name: string, { from, to, open }: ToldRange, { names }: LetterContext): ToldRange {
  const feature = names.find(name)?.document;
  if (feature?.type !== 'continuous' && feature?.type !== 'integer') return { from, to };
  return {
    from: from === feature.min && open !== 'from' ? undefined : from,
    to: to === feature.max && open !== 'to' ? undefined : to,
  };
}

/** A range holds for the values that the policy permits. */
function stepsOf(name: string, { policy, words, names }: LetterContext): string {
  const step = policy && ruleOf(policy, name).step;
  return step === undefined ? '' : words.range.inSteps(names.value(name, step, { isDative: true }));
}

/** A path of one step is the change itself. */
function pathBlocks({ path }: CounterfactualDocument, context: LetterContext): LetterBlock[] {
  if (!path || path.steps.length < 2) return [];
  const { words } = context;
  const items = path.steps.map(({ changes }) =>
    changeItems(changes, context)
      .map(({ label, value }) => words.pair(label, value))
      .join(words.semicolon),
  );
  return [paragraph(words.change.stepByStep), { kind: 'steps', items }];
}
