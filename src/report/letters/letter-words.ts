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
  /** `Income: 2,600 EUR` */
  pair(label: string, value: string): string;
  quote(text: string): string;
  readonly headings: {
    readonly decision: string;
    readonly changes: string;
    readonly others: string;
    readonly whyNot: string;
    readonly data: string;
    readonly review: string;
    readonly validity: string;
  };
  readonly decision: DecisionWords;
  readonly goal: GoalWords;
  readonly range: RangeWords;
  readonly change: ChangeWords;
  readonly whyNot: WhyNotWords;
  readonly rule: RuleWords;
  readonly review: {
    readonly offer: string;
    contact(contact: string): string;
    /** Without a contact. */
    readonly reply: string;
  };
  readonly validity: {
    until(date: string): string;
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
  readonly highestWins: string;
  /** `goal`: in the words of `goal`. */
  wanted(goal: string): string;
  readonly already: string;
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
}

interface RangeWords {
  atLeast(value: string): string;
  atMost(value: string): string;
  between(low: string, high: string): string;
  readonly anything: string;
  /** Appended: the value moves in steps. */
  inSteps(step: string): string;
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
  /** Every point of the box is proved. `count`: the number of ranges. */
  allWithin(count: number): string;
  /** One point of the ranges, before the sentence about its score. */
  example(values: string): string;
  resultAfter(name: string): string;
  scoreAfter(score: string): string;
  valueAfter(value: string): string;
  readonly proved: string;
  /** Proved among the changes of one lever. */
  readonly provedHere: string;
  withinGap(share: string): string;
  readonly smallestKnown: string;
  readonly enough: string;
  readonly stepByStep: string;
  step(number: string): string;
  option(number: string): string;
  onlyThese(labels: string): string;
  namedOption(name: string): string;
}

interface WhyNotWords {
  proved(goal: string): string;
  readonly provedHere: string;
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

/** A rule after its label, or as a whole. A rule ends without a full stop, because other sentences quote the rule. */
interface RuleWords {
  readonly never: string;
  readonly increase: string;
  readonly decrease: string;
  readonly onlyToYes: string;
  readonly onlyToNo: string;
  readonly higher: string;
  readonly lower: string;
  readonly someChanges: string;
  maxIncrease(value: string): string;
  maxDecrease(value: string): string;
  step(value: string): string;
  allow(values: string): string;
  readonly limits: string;
  readonly steps: string;
  readonly someValues: string;
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
