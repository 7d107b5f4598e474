/** The facts that all letters of a run share: words, formats and names of the language, the model's thresholds, and the policy if known. */
import type { LabelsDocument, Language } from '../../documents/labels/label-document.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import type { Thresholds } from '../../models/family.js';
import { underOverlay } from '../../policy/overlay.js';
import { LetterFormat } from './letter-format.js';
import { LetterNames, type NamedModel } from './letter-names.js';
import type { LetterWords } from './letter-words.js';
import { GERMAN } from './words-de.js';
import { ENGLISH } from './words-en.js';
import { FRENCH } from './words-fr.js';

const WORDS: Readonly<Record<Language, LetterWords>> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

/** Texts of the sender, in the language of the letter. */
export interface LetterDetails {
  readonly subject?: string;
  readonly sender?: string;
  readonly contact?: string;
  /** Dates of the calendar: 2026-12-17. */
  readonly date?: string;
  readonly validUntil?: string;
}

export interface LetterSources {
  readonly language: Language;
  readonly model: NamedModel;
  /** The scores at which the model decides, if it has two classes. */
  readonly thresholds?: Thresholds;
  /** Without the policy, rules are told without their numbers. */
  readonly policy?: PolicyDocument;
  readonly labels?: LabelsDocument;
  readonly details: LetterDetails;
}

export interface LetterContext extends LetterSources {
  readonly words: LetterWords;
  readonly format: LetterFormat;
  readonly names: LetterNames;
}

export function letterContext(sources: LetterSources): LetterContext {
  const { language, model, labels } = sources;
  const words = WORDS[language];
  const format = new LetterFormat(language);
  // The wishes of a person are rules of the person's own answer.
  const policy = sources.policy && underOverlay(sources.policy);
  return { ...sources, policy, words, format, names: new LetterNames(model, labels, language, words, format) };
}
