/** A letter between its content and its form: sections of blocks, in plain text. Each form, HTML or text, writes the same blocks. */

/** A value beside its label. */
export interface LabelledValue {
  readonly label: string;
  readonly value: string;
}

export type LetterBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** The result of the decision. `isReached`: the result is the target. */
  | { readonly kind: 'verdict'; readonly text: string; readonly isReached: boolean }
  | { readonly kind: 'subheading'; readonly text: string }
  /** `isAnswer`: the policy permits the changes. */
  | { readonly kind: 'changes'; readonly items: readonly LabelledValue[]; readonly isAnswer: boolean }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'steps'; readonly items: readonly string[] }
  /** Text for programs, in one piece. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly LabelledValue[] }
  | { readonly kind: 'scale'; readonly marks: readonly ScaleMark[] };

/** A score on the scale from 0 to 1. The paragraphs have the same numbers. */
export interface ScaleMark {
  readonly role: 'now' | 'needed' | 'after';
  readonly at: number;
  readonly label: string;
  readonly score: string;
}

/** The sections of a letter, in their order. `explanation` is absent where nothing has to change, `reasons` where the result has none. */
export const SECTIONS = ['decision', 'reasons', 'explanation', 'others', 'data', 'review', 'validity'] as const;
export type SectionName = (typeof SECTIONS)[number];

export interface LetterSection {
  readonly heading: string;
  readonly blocks: readonly LetterBlock[];
}

export interface PersonLetter {
  readonly language: string;
  readonly title: string;
  readonly sender: string;
  readonly date: string;
  readonly id: string;
  readonly greeting: string;
  readonly sections: Readonly<Partial<Record<SectionName, LetterSection>>>;
  /** Lines about the assessment: reference, procedure, rules. */
  readonly record: readonly string[];
}

/** Characters that people cannot see may hide or reorder text: control characters become spaces, marks of direction go. */
export const visible = (text: string): string =>
  text.replace(/\p{Cc}+/gu, ' ').replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');

export const paragraph = (text: string): LetterBlock => ({ kind: 'paragraph', text });
