import type { ReasonsDocument } from '../../documents/policy-document.js';

/**
 * THE TABLE of sentences in letters, one file for each language. A sentence never claims more than the result proves. Values arrive as text
 * in the format of the language. Labels of features stand alone, before a colon or in a list: no sentence bends them by case or gender.
 */
export interface LetterWords {
  readonly title: string;
  readonly greeting: string;
  readonly yes: string;
  readonly no: string;
  /** In place of a value that is not known. */
  readonly notGiven: string;
  /** Between parts that are sentences of their own. */
  readonly semicolon: string;
  /** `Income: 2,600 EUR` */
  pair(label: string, value: string): string;
  quote(text: string): string;
  readonly headings: {
    readonly decision: string;
    readonly changes: string;
    /** In place of `changes`, where only the safety margin was missing. */
    readonly margin: string;
    readonly others: string;
    readonly reasons: string;
    readonly whyNot: string;
    readonly data: string;
    readonly review: string;
    readonly validity: string;
  };
  readonly decision: DecisionWords;
  readonly goal: GoalWords;
  readonly range: RangeWords;
  readonly condition: ConditionWords;
  readonly change: ChangeWords;
  readonly whyNot: WhyNotWords;
  readonly reasons: ReasonsWords;
  readonly rule: RuleWords;
  readonly review: {
    readonly offer: string;
    contact(contact: string): string;
    /** Without a contact. */
    readonly reply: string;
  };
  readonly validity: {
    /** `hasChange`: the letter names a change, and only the other details stay. */
    until(date: string, hasChange: boolean): string;
    /** Without a date. */
    readonly open: string;
    /** Before the signed receipt. */
    receipt(date: string): string;
  };
  readonly record: {
    reference(id: string): string;
    model(name: string): string;
    version(model: string, version: string): string;
    rules(policy: string): string;
    fingerprint(digest: string): string;
  };
}

interface DecisionWords {
  readonly assessed: string;
  result(name: string): string;
  value(value: string): string;
  scoreOf(name: string, score: string): string;
  threshold(name: string, threshold: string): string;
  /** The lowest score of the band that is the target. */
  bandFrom(name: string, from: string): string;
  /** The band of the person. */
  band(name: string): string;
  readonly noBand: string;
  readonly highestWins: string;
  /** `goal`: in the words of `goal`. */
  wanted(goal: string): string;
  readonly already: string;
  /** The result is reached, and the margin of the policy is not. */
  readonly withoutMargin: string;
  /** Captions of the scale. */
  readonly now: string;
  readonly needed: string;
  readonly after: string;
}

/** Each phrase follows "would have led". */
interface GoalWords {
  results(names: string): string;
  scoreOf(name: string, range: string): string;
  value(range: string): string;
  /** This band, or a better one. */
  band(name: string): string;
  /** The same goal, where only the margin was missing. */
  withMargin(goal: string): string;
}

interface RangeWords {
  atLeast(value: string): string;
  atMost(value: string): string;
  between(low: string, high: string): string;
  above(low: string): string;
  below(high: string): string;
  aboveUpTo(low: string, high: string): string;
  fromBelow(low: string, high: string): string;
  readonly anything: string;
  /** Appended: the value moves in steps. */
  inSteps(step: string): string;
}

/** How a claim refers to the conditions before it. `everything`: the policy is not known. */
export type Under = 'nothing' | 'margin' | 'conditions' | 'everything';

/** Whole sentences about rules that "permitted" does not name. `hasThreshold`: the letter names a threshold. */
interface ConditionWords {
  margin(hasThreshold: boolean): string;
  readonly plausible: string;
  readonly background: string;
  readonly wishes: string;
  readonly counted: string;
  readonly measured: string;
  unknown(hasThreshold: boolean): string;
}

interface ChangeWords {
  /** `count`: the number of changes. */
  wouldHaveLed(goal: string, count: number): string;
  wouldAlsoHaveLed(goal: string, count: number): string;
  instead(to: string, from: string): string;
  within(range: string, now: string): string;
  /** The present value is not known. */
  firstGiven(to: string): string;
  readonly othersStay: string;
  /** The end of the sentence "would have ...". Undefined: enough for the goal that is named before. */
  done(goal: string | undefined): string;
  /** Every point of the box is proved. `count`: the number of ranges. `done`: in the words of `done`. */
  allWithin(count: number, done: string): string;
  /** One point of the ranges, before the sentence about its score. The labels are those within a sentence. */
  example(values: string): string;
  resultAfter(name: string): string;
  scoreAfter(score: string): string;
  bandAfter(name: string): string;
  /** The heading of one target of several. */
  towards(goal: string): string;
  /** In place of a way to one target of several. */
  readonly alreadyThere: string;
  valueAfter(value: string): string;
  proved(under: Under, done: string): string;
  /** Proved among the changes of one lever. */
  provedHere(under: Under, done: string): string;
  withinGap(share: string, under: Under): string;
  readonly smallestKnown: string;
  readonly enough: string;
  readonly stepByStep: string;
  step(number: string): string;
  option(number: string): string;
  onlyThese(labels: string): string;
  namedOption(name: string): string;
}

interface WhyNotWords {
  proved(goal: string, under: Under): string;
  provedHere(under: Under): string;
  /** In place of both, where the margin is the only condition and the letter names a threshold. */
  readonly provedMargin: string;
  readonly provedMarginHere: string;
  notFound(goal: string): string;
  readonly notFoundHere: string;
  blocking(count: number): string;
  nowhere(goal: string): string;
  missing(labels: string): string;
  without(rule: string, count: number): string;
  withoutNothing(rule: string): string;
  readonly noSingle: string;
  readonly undetermined: string;
}

/** The details that counted against another result. */
interface ReasonsWords {
  /** Before the list of details. Undefined: the policy is not known. */
  introduction(reference: ReasonsDocument['reference'] | undefined): string;
  /** The share in everything that counted against another result. */
  share(share: string): string;
  /** A change of the detail alone. `done`: in the words of `done`. */
  enough(done: string): string;
  notEnough(done: string): string;
  readonly undetermined: string;
}

/** A rule after its label, or as a whole. A rule ends without a full stop, because other sentences quote the rule. */
interface RuleWords {
  readonly never: string;
  readonly increase: string;
  readonly decrease: string;
  readonly onlyToYes: string;
  readonly onlyToNo: string;
  readonly higher: string;
  readonly lower: string;
  /** The direction or the list of values is not known. */
  readonly limited: string;
  maxIncrease(value: string): string;
  maxDecrease(value: string): string;
  step(value: string): string;
  allow(values: string): string;
  readonly limits: string;
  readonly steps: string;
  /** A limit that stands in no policy. */
  readonly knownRange: string;
  onlyThese(labels: string): string;
  readonly onlySome: string;
  fitTogether(labels: string): string;
  readonly someFitTogether: string;
  readonly condition: string;
  mostChanges(count: number, shown: string): string;
  readonly fewChanges: string;
  readonly margin: string;
  readonly plausible: string;
  readonly other: string;
}
