/**
 * The reasons of a letter: the details that counted most against another result, one sentence about each share, and one about what a change of
 * this detail alone would have done. A claim that no change of a detail is enough rests on all rules, and its sentence says so.
 */
import type { ReasonCode, ResultDocument } from '../../documents/result-document.js';
import type { LetterContext } from './letter-context.js';
import { type LetterSection, paragraph } from './letter-parts.js';

/** Undefined: the result has no reasons. `done`: the end of the sentence "would have ...". */
export function reasonsSection(
  { reasons }: Pick<ResultDocument, 'reasons'>,
  done: string,
  context: LetterContext,
): LetterSection | undefined {
  if (!reasons?.length) return undefined;
  const { words, policy } = context;
  const introduction = words.reasons.introduction(policy?.reasons?.reference);
  const items = reasons.map((reason) => inSentences(reason, done, context));
  return { heading: words.headings.reasons, blocks: [paragraph(introduction), { kind: 'list', items }] };
}

function inSentences(
  { feature, value, share, alone }: ReasonCode,
  done: string,
  { words, names, format }: LetterContext,
): string {
  const label = names.find(feature)?.title ?? feature;
  const detail = words.pair(label, names.value(feature, value));
  const could = {
    true: words.reasons.enough(done),
    false: words.reasons.notEnough(done),
    undetermined: words.reasons.undetermined,
  }[`${alone}`];
  return `${detail}. ${words.reasons.share(format.percent(share))} ${could}`;
}
