/**
 * A result -> the letter to the person. Pure: documents in, sections of text out.
 *
 *   decision      the result, the person's score, the threshold
 *   reasons       the details that counted most against another result. Absent: the result has none
 *   explanation   the change that would have led to the target, or the reason why none is named. Absent: the target is reached
 *   others        further answers
 *   data          every value that was used
 *   review, validity
 *
 * A result of status `invalid` has no letter: nothing is known about the person.
 */
import type { SignedReceipt } from '../../documents/receipt-document.js';
import type { LeverDocument, Reason, ResultDocument, RungDocument } from '../../documents/result-document.js';
import { leverEntry } from '../../policy/entries.js';
import { type Conditions, conditionsOfAll, conditionsOfNone, conditionsOfSize } from './letter-conditions.js';
import type { LetterContext } from './letter-context.js';
import { goalInWords, isTwoSided, lacksMargin, partAbout } from './letter-goal.js';
import {
  type LetterBlock,
  type LetterSection,
  type PersonLetter,
  paragraph,
  type SectionName,
} from './letter-parts.js';
import { reasonsSection } from './letter-reasons.js';
import { leverFeatures, ruleInWords, rulesInWords } from './letter-rules.js';
import { scaleOf, scoreSentences, scoresOf } from './letter-scores.js';
import { changeItems, type WayFrame, wayBlocks } from './letter-ways.js';

/** Digits of a digest that are shown. */
const SHORT_DIGEST = 12;

/** A result of a person whose row was read. */
export type ReadResult = ResultDocument & {
  readonly factual: NonNullable<ResultDocument['factual']>;
  readonly target: NonNullable<ResultDocument['target']>;
};

export const wasRead = (result: ResultDocument): result is ReadResult =>
  result.status !== 'invalid' && result.factual !== null && result.target !== null;

/** `receipt`: the signed receipt of the result, if the sender gives one. */
export function composeLetter(result: ReadResult, context: LetterContext, receipt?: SignedReceipt): PersonLetter {
  const { words, details, format, language } = context;
  const frame = frameOf(result, context);
  const sections: Partial<Record<SectionName, LetterSection>> = {
    decision: { heading: words.headings.decision, blocks: decisionBlocks(result, frame, context) },
    ...reasonsOf(result, frame, context),
    ...explanationOf(result, frame, context),
    data: { heading: words.headings.data, blocks: [dataTable(result, context)] },
    review: { heading: words.headings.review, blocks: [reviewOf(context)] },
    validity: { heading: words.headings.validity, blocks: validityOf(result, context, receipt) },
  };
  return {
    language,
    title: details.subject ?? words.title,
    sender: details.sender ?? '',
    date: details.date ? format.date(details.date) : '',
    id: result.id,
    greeting: words.greeting,
    sections,
    record: recordOf(result, context),
  };
}

interface Frame extends Omit<WayFrame, 'place' | 'conditions'> {
  readonly claim: Parameters<typeof conditionsOfAll>[0];
  /** The decision is the target, and only the margin of the policy is missing. */
  readonly lacksMargin: boolean;
}

function frameOf(result: ReadResult, context: LetterContext): Frame {
  const { words } = context;
  const { target } = result;
  const lacks = lacksMargin(result, context);
  const bare = goalInWords(target, context);
  const goal = lacks ? words.goal.withMargin(bare) : bare;
  const scores = scoresOf(result, context);
  return {
    goal,
    done: words.change.done(isTwoSided(target) ? goal : undefined),
    scores,
    isListed: Array.isArray(target),
    claim: { hasThreshold: scores.threshold !== undefined, isBounded: result.defaults?.bounds !== undefined },
    lacksMargin: lacks,
  };
}

function decisionBlocks(result: ReadResult, { goal, scores, ...frame }: Frame, context: LetterContext): LetterBlock[] {
  const { words, names } = context;
  const { prediction, score } = result.factual;
  const isReached = result.status === 'already';
  const text =
    typeof prediction === 'number'
      ? words.decision.value(scores.show(score))
      : words.decision.result(names.class(prediction));
  const isNamed = typeof result.target === 'string';
  const facts = [
    ...scoreSentences(result, scores, context),
    ...(isNamed || isReached ? [] : [words.decision.wanted(goal)]),
    ...(isReached ? [words.decision.already] : []),
    ...(frame.lacksMargin ? [words.decision.withoutMargin] : []),
  ];
  return [
    paragraph(words.decision.assessed),
    { kind: 'verdict', text, isReached: isReached || frame.lacksMargin },
    ...(facts.length ? [paragraph(facts.join(' '))] : []),
    ...scaleOf(result, scores, context),
  ];
}

/** A person whose decision is the target already was not rejected. */
function reasonsOf(
  result: ReadResult,
  frame: Frame,
  context: LetterContext,
): Pick<PersonLetter['sections'], 'reasons'> {
  const reasons = frame.lacksMargin ? undefined : reasonsSection(result, frame.done, context);
  return reasons ? { reasons } : {};
}

type Explanation = Pick<PersonLetter['sections'], 'explanation' | 'others'>;

function explanationOf(result: ReadResult, frame: Frame, context: LetterContext): Explanation {
  const { headings } = context.words;
  const { status, levers, targets, counterfactuals } = result;
  if (status === 'already') return {};
  if (targets) return { explanation: { heading: headings.changes, blocks: rungBlocks(result, targets, context) } };
  const named = frame.lacksMargin ? headings.margin : headings.changes;
  const heading = counterfactuals.length ? named : headings.whyNot;
  if (levers) {
    const blocks = levers.flatMap((lever) => leverBlocks(lever, result, frame, context));
    return { explanation: { heading, blocks } };
  }
  const [first, ...others] = counterfactuals;
  if (!first) return { explanation: { heading, blocks: whyNotBlocks(result, frame, context) } };
  const explanation = { heading, blocks: wayBlocks(first, wayFrame(frame, 'first', context), context) };
  return others.length ? { explanation, others: othersOf(others, frame, context) } : { explanation };
}

/** Each target of several has a part of its own, as in a letter about this target alone. */
function rungBlocks(result: ReadResult, rungs: readonly RungDocument[], context: LetterContext): LetterBlock[] {
  const { change } = context.words;
  return rungs.flatMap((rung): LetterBlock[] => {
    const own = partAbout(result, rung);
    const heading: LetterBlock = { kind: 'subheading', text: change.towards(goalInWords(rung.target, context)) };
    if (rung.status === 'already') return [heading, paragraph(change.alreadyThere)];
    const { explanation, others } = explanationOf(own, frameOf(own, context), context);
    return [heading, ...(explanation?.blocks ?? []), ...(others?.blocks ?? [])];
  });
}

const wayFrame = (frame: Frame, place: WayFrame['place'], context: LetterContext): WayFrame => ({
  ...frame,
  place,
  conditions: conditionsOfSize(frame.claim, context),
});

function othersOf(answers: ReadResult['counterfactuals'], frame: Frame, context: LetterContext): LetterSection {
  const { words, format } = context;
  const blocks = answers.flatMap((answer, k): LetterBlock[] => [
    { kind: 'subheading', text: words.change.option(format.count(k + 2)) },
    ...wayBlocks(answer, wayFrame(frame, 'further', context), context),
  ]);
  return { heading: words.headings.others, blocks };
}

function leverBlocks(
  { lever, status, reason }: LeverDocument,
  { counterfactuals }: ReadResult,
  frame: Frame,
  context: LetterContext,
): LetterBlock[] {
  const { words, names } = context;
  const features = leverFeatures(lever, context);
  const text = features ? words.change.onlyThese(names.list(features)) : words.change.namedOption(lever);
  const answers = counterfactuals
    .filter((answer) => answer.lever === lever)
    .flatMap((answer, k) =>
      wayBlocks(answer, wayFrame(frame, k === 0 ? 'first-of-lever' : 'further', context), context),
    );
  const conditions = conditionsOfNone(reason, frame.claim, context);
  const absence = status === 'infeasible' ? provedHere(conditions, frame, context) : words.whyNot.notFoundHere;
  const instead = answers.length
    ? []
    : [paragraph(absence), ...(reason ? leverReason(lever, reason, frame, context) : [])];
  return [{ kind: 'subheading', text }, ...answers, ...instead];
}

/** The margin of a target with a threshold has a sentence of its own. */
function provedHere({ told, under }: Conditions, { claim }: Frame, { words: { whyNot } }: LetterContext): string {
  if (under === 'margin' && claim.hasThreshold) return whyNot.provedMarginHere;
  return [...told, whyNot.provedHere(under)].join(' ');
}

function provedNowhere(
  { told, under }: Conditions,
  { goal, claim }: Frame,
  { words: { whyNot } }: LetterContext,
): string {
  if (under === 'margin' && claim.hasThreshold) return whyNot.provedMargin;
  return [...told, whyNot.proved(goal, under)].join(' ');
}

/** The heading says which details may change. The same fact is no reason, and the other parts tell the other ways. */
function leverReason(
  lever: string,
  { blocking = [], relaxation, ...reason }: Reason,
  frame: Frame,
  context: LetterContext,
): LetterBlock[] {
  const own = leverEntry(lever);
  const isOther = relaxation && relaxation !== 'undetermined' && relaxation.entry !== own;
  const others = blocking.filter((entry) => entry !== own);
  return reasonBlocks({ ...reason, blocking: others, relaxation: isOther ? relaxation : undefined }, frame, context);
}

function whyNotBlocks({ status, reason, factual }: ReadResult, frame: Frame, context: LetterContext): LetterBlock[] {
  const { whyNot } = context.words;
  if (status !== 'infeasible') return [paragraph(whyNot.notFound(frame.goal))];
  if (reason?.blocking?.length === 0) return nowhereBlocks(factual, frame.goal, context);
  const proved = provedNowhere(conditionsOfNone(reason, frame.claim, context), frame, context);
  return [paragraph(proved), ...(reason ? reasonBlocks(reason, frame, context) : [])];
}

/** No rule of the policy is to blame: the model document itself blocks, or values that are missing. */
function nowhereBlocks(
  { features }: ReadResult['factual'],
  goal: string,
  { words, names }: LetterContext,
): LetterBlock[] {
  const missing = Object.keys(features).filter((name) => features[name] === null);
  return [
    paragraph(words.whyNot.proved(goal, 'nothing')),
    paragraph(missing.length ? words.whyNot.missing(names.list(missing)) : words.whyNot.nowhere(goal)),
  ];
}

function reasonBlocks({ blocking, relaxation }: Reason, frame: Frame, context: LetterContext): LetterBlock[] {
  if (!blocking?.length) return [];
  const { whyNot } = context.words;
  const items = rulesInWords(blocking, context);
  return [
    paragraph(whyNot.blocking(items.length)),
    { kind: 'list', items },
    ...relaxationBlocks(relaxation, blocking, frame, context),
  ];
}

function relaxationBlocks(
  relaxation: Reason['relaxation'],
  blocking: readonly string[],
  frame: Frame,
  context: LetterContext,
): LetterBlock[] {
  const { whyNot } = context.words;
  if (relaxation === undefined) return [];
  if (relaxation === null)
    return blocking.length > 1 ? [paragraph([...untold(blocking, frame, context), whyNot.noSingle].join(' '))] : [];
  if (relaxation === 'undetermined') return [paragraph(whyNot.undetermined)];
  const rule = ruleInWords(relaxation.entry, context);
  const { changes } = relaxation;
  if (!changes.length) return [paragraph(whyNot.withoutNothing(rule))];
  return [
    paragraph(whyNot.without(rule, changes.length)),
    { kind: 'changes', items: changeItems(changes, context), isAnswer: false },
  ];
}

/** The conditions that the other rules have, where the list of rules that block does not tell them. */
function untold(blocking: readonly string[], { claim }: Frame, context: LetterContext): readonly string[] {
  const known = conditionsOfNone({ code: '', message: '', blocking: [...blocking] }, claim, context).told;
  return conditionsOfAll(claim, context).told.filter((sentence) => !known.includes(sentence));
}

function dataTable({ factual }: ReadResult, { names }: LetterContext): LetterBlock {
  const rows = names.features.map(({ title, document: { name } }) => {
    const value = Object.hasOwn(factual.features, name) ? factual.features[name] : null;
    return { label: title, value: names.value(name, value) };
  });
  return { kind: 'table', rows };
}

function reviewOf({ words: { review }, details }: LetterContext): LetterBlock {
  const where = details.contact === undefined ? review.reply : review.contact(details.contact);
  return paragraph(`${review.offer} ${where}`);
}

function validityOf(
  { status, counterfactuals }: ReadResult,
  { words: { validity }, details, format }: LetterContext,
  receipt: SignedReceipt | undefined,
): LetterBlock[] {
  const until = receipt?.validUntil ?? details.validUntil;
  const information =
    until === undefined
      ? validity.open
      : validity.until(format.date(until), status === 'found' || counterfactuals.length > 0);
  if (!receipt) return [paragraph(information)];
  const stands = validity.receipt(format.date(receipt.validUntil));
  return [paragraph(information), paragraph(stands), { kind: 'code', text: receipt.receipt }];
}

function recordOf({ id, model, policy }: ReadResult, { words: { record }, format }: LetterContext): string[] {
  const name = record.model(model.name);
  const digest = [model.digest, policy.digest].map((text) => text.replace(/^.*:/, '').slice(0, SHORT_DIGEST)).join('-');
  return [
    record.reference(id),
    model.version === null ? name : record.version(name, format.count(model.version)),
    record.rules(policy.name),
    record.fingerprint(digest),
  ];
}
