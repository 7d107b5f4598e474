/** The sentences of letters in English. */
import type { ReasonsDocument } from '../../documents/policy-document.js';
import type { LetterWords, Under } from './letter-words.js';

const quote = (text: string): string => `“${text}”`;
const changes = (count: number): string => (count === 1 ? 'The following change' : 'The following changes together');

const MEASURED: Readonly<Record<Under, string>> = {
  nothing: 'Measured by our rules,',
  margin: 'Measured by our rules and with this margin,',
  conditions: 'Measured by our rules and under these conditions,',
  everything: 'Measured by our rules and with everything they require,',
};
const UNDER: Readonly<Record<Under, string>> = {
  nothing: 'No',
  margin: 'With this margin, no',
  conditions: 'Under these conditions, no',
  everything: 'With everything they require, no',
};

const COMPARED: Readonly<Record<ReasonsDocument['reference'], string>> = {
  population: 'Compared with the average of known cases',
  accepted: 'Compared with the nearest known case that has the result in question',
  best: 'Compared with the best value of each detail',
};

export const ENGLISH: LetterWords = {
  title: 'About our decision',
  greeting: 'Dear Sir or Madam,',
  yes: 'yes',
  no: 'no',
  notGiven: 'not given',
  semicolon: '; ',
  pair: (label, value) => `${label}: ${value}`,
  quote,
  headings: {
    decision: 'The decision',
    changes: 'What would have changed the decision',
    margin: 'What would have reached the safety margin',
    others: 'Other ways',
    reasons: 'The main reasons',
    whyNot: 'Why we name no change',
    data: 'The details we used',
    review: 'Review by a person',
    validity: 'How long this holds',
  },
  decision: {
    assessed: 'We assessed your details with an automated procedure.',
    result: (name) => `The result is ${quote(name)}.`,
    value: (value) => `The result is the value ${value}.`,
    scoreOf: (name, score) => `Your score for ${quote(name)} is ${score}.`,
    threshold: (name, threshold) => `The threshold for ${quote(name)} is ${threshold}.`,
    bandFrom: (name, from) => `The band ${quote(name)} begins at ${from}.`,
    band: (name) => `Your score is in the band ${quote(name)}.`,
    noBand: 'Your score is below all bands.',
    highestWins: 'The result with the highest score applies.',
    wanted: (goal) => `For the required result, the assessment would have had to lead ${goal}.`,
    already: 'The outcome in question is already reached. Nothing has to change.',
    withoutMargin: 'This result is reached, but not with the safety margin that our rules require.',
    now: 'your score',
    needed: 'threshold',
    after: 'after the change',
  },
  goal: {
    results: (names) => `to the result ${names}`,
    scoreOf: (name, range) => `to a score for ${quote(name)} of ${range}`,
    value: (range) => `to a value of ${range}`,
    band: (name) => `to the band ${quote(name)} or a better one`,
    withMargin: (goal) => `${goal} with the required safety margin`,
  },
  range: {
    atLeast: (value) => `at least ${value}`,
    atMost: (value) => `at most ${value}`,
    between: (low, high) => `between ${low} and ${high}`,
    above: (low) => `more than ${low}`,
    below: (high) => `less than ${high}`,
    aboveUpTo: (low, high) => `more than ${low} and at most ${high}`,
    fromBelow: (low, high) => `at least ${low} and less than ${high}`,
    anything: 'any value',
    inSteps: (step) => `, in steps of ${step}`,
  },
  condition: {
    margin: (hasThreshold) => `Our rules also require a safety margin${hasThreshold ? ' above the threshold' : ''}.`,
    plausible: 'Our rules also require that the details resemble those of real cases.',
    background: 'Where our rules name no limit for a number, the number has to stay within the range of known cases.',
    wishes: 'Your own wishes count as rules here.',
    counted: 'Our rules measure a change by the number of details that change.',
    measured: 'Our rules measure a change also by how closely the details resemble those of real cases.',
    unknown: (hasThreshold) =>
      `Our rules can require more than the ${hasThreshold ? 'threshold' : 'result'} alone, such as a safety margin.`,
  },
  change: {
    done: (goal) => (goal === undefined ? 'been enough' : `led ${goal}`),
    wouldHaveLed: (goal, count) => `${changes(count)} would have led ${goal}:`,
    wouldAlsoHaveLed: (goal, count) => `${changes(count)} would also have led ${goal}:`,
    instead: (to, from) => `${to} instead of ${from}`,
    within: (range, now) => `${range} (currently ${now})`,
    firstGiven: (to) => `${to} (not given so far)`,
    othersStay: 'All your other details would stay as they are.',
    allWithin: (count, done) =>
      count === 1
        ? `Every permitted value in this range would have ${done}. This is proved.`
        : `Every permitted combination of values in these ranges would have ${done}. This is proved.`,
    example: (values) => `For example, ${values}.`,
    resultAfter: (name) => `The result would then have been ${quote(name)}.`,
    scoreAfter: (score) => `Your score would then have been ${score}.`,
    bandAfter: (name) => `The band would then have been ${quote(name)}.`,
    towards: (goal) => `What would have led ${goal}`,
    alreadyThere: 'This is already reached.',
    valueAfter: (value) => `The value would then have been ${value}.`,
    proved: (under, done) => `${MEASURED[under]} no smaller permitted change would have ${done}. This is proved.`,
    provedHere: (under, done) =>
      `${MEASURED[under]} no smaller permitted change of these details alone would have ${done}. This is proved.`,
    withinGap: (share, under) => `${MEASURED[under]} it would be at most ${share} smaller. This is proved.`,
    smallestKnown: 'This is the smallest change we know of. A smaller one may exist.',
    enough: 'This change would have been enough. A smaller one may exist.',
    stepByStep: 'One way to get there, step by step:',
    step: (number) => `Step ${number}`,
    option: (number) => `Option ${number}`,
    onlyThese: (labels) => `If only these details change: ${labels}`,
    namedOption: (name) => `Option ${quote(name)}`,
  },
  whyNot: {
    proved: (goal, under) => `${UNDER[under]} change that our rules permit would have led ${goal}. This is proved.`,
    provedHere: (under) => `${UNDER[under]} permitted change would have been enough here. This is proved.`,
    provedMargin:
      'No permitted change would have reached the threshold plus the safety margin that our rules require. This is proved.',
    provedMarginHere:
      'Here, no permitted change would have reached the threshold plus the safety margin that our rules require. This is proved.',
    notFound: (goal) => `We found no change that would have led ${goal}. This does not mean that there is none.`,
    notFoundHere: 'We found no change here that would have been enough. This does not mean that there is none.',
    blocking: (count) => (count === 1 ? 'This rule is the reason:' : 'These rules together are the reason:'),
    nowhere: (goal) => `No details that the procedure accepts lead ${goal}.`,
    missing: (labels) => `Some details are missing: ${labels}. With these details the result may be different.`,
    without: (rule, count) =>
      `Without the rule ${quote(rule)}, ${count === 1 ? 'this change' : 'these changes together'} would have been enough:`,
    withoutNothing: (rule) => `Without the rule ${quote(rule)}, nothing would have had to change.`,
    noSingle: 'As long as all the other rules apply, dropping a single one of our rules would not have been enough.',
    undetermined: 'We could not determine whether dropping a single one of these rules would have been enough.',
  },
  reasons: {
    introduction: (reference) =>
      reference === undefined
        ? 'These details counted most against a different result:'
        : `${COMPARED[reference]}, these details counted most against a different result:`,
    share: (share) => `This is ${share} of everything that counted against a different result.`,
    enough: (done) => `A permitted change of this detail alone would have ${done}. This is proved.`,
    notEnough: (done) => `No change of this detail alone that meets all our rules would have ${done}. This is proved.`,
    undetermined: 'We could not determine whether a change of this detail alone would have been enough.',
  },
  rule: {
    never: 'no change is considered',
    increase: 'may only increase',
    decrease: 'may only decrease',
    onlyToYes: 'may only change from no to yes',
    onlyToNo: 'may only change from yes to no',
    higher: 'may only move to a higher level',
    lower: 'may only move to a lower level',
    limited: 'a rule limits changes of this detail',
    maxIncrease: (value) => `may increase by at most ${value}`,
    maxDecrease: (value) => `may decrease by at most ${value}`,
    step: (value) => `may change only in steps of ${value}`,
    allow: (values) => `may change only to ${values}`,
    limits: 'only changes within certain limits are permitted',
    steps: 'only changes in fixed steps are permitted',
    knownRange: 'only values within the range of known cases are considered',
    onlyThese: (labels) => `Only these details may change: ${labels}`,
    onlySome: 'Only some details may change',
    fitTogether: (labels) => `These details have to fit together: ${labels}`,
    someFitTogether: 'Some details have to fit together',
    condition: 'a fixed condition applies',
    mostChanges: (count, shown) =>
      count === 1 ? 'Only one detail may change' : `At most ${shown} details may change at the same time`,
    fewChanges: 'Only a limited number of details may change at the same time',
    margin: 'The threshold has to be passed by a safety margin',
    plausible: 'The details have to resemble those of real cases',
    other: 'A further rule of our assessment',
  },
  review: {
    offer: 'If you think that the decision or one of the details above is wrong, you can ask for a review by a person.',
    contact: (contact) => `Please contact: ${contact}`,
    reply: 'Please contact the office that sent you this letter.',
  },
  validity: {
    until: (date, hasChange) =>
      `This information holds until ${date}, as long as your ${hasChange ? 'other ' : ''}details stay the same.`,
    open: 'This letter describes the assessment as it was made. Later changes to your details or to our rules can lead to a different result.',
    receipt: (date) =>
      `We stand by this information until ${date}. The text below is our signed receipt. Everybody can check with our public keys that the receipt is ours and unchanged.`,
  },
  record: {
    reference: (id) => `Reference: ${id}`,
    model: (name) => `Procedure: ${name}`,
    version: (model, version) => `${model}, version ${version}`,
    rules: (policy) => `Rules: ${policy}`,
    fingerprint: (digest) => `Check code: ${digest}`,
  },
};
