/** The scores of a letter as text, and their scale. */
import type { TargetDocument } from '../../documents/policy-document.js';
import type { ResultDocument } from '../../documents/result-document.js';
import type { LetterContext } from './letter-context.js';
import { bandOf, scoredClass } from './letter-goal.js';
import type { LetterBlock, ScaleMark } from './letter-parts.js';

export interface LetterScores {
  /** The score at which the decision for the target changes. Undefined: there is no such number. */
  readonly threshold: number | undefined;
  /** The text of a score of this result. */
  show(score: number): string;
}

/** All scores of a letter have the same number of digits. Each looks different from the person's own and from the threshold if it is. */
export function scoresOf(result: ResultDocument, context: LetterContext): LetterScores {
  const { target, factual, counterfactuals } = result;
  const threshold = target === null ? undefined : thresholdOf(target, result, context);
  const marks = [...(factual ? [factual.score] : []), ...(threshold === undefined ? [] : [threshold])];
  const values = [...marks, ...counterfactuals.map(({ score }) => score)];
  const shown = context.format.scores(values, marks);
  return { threshold, show: (score) => shown[values.indexOf(score)] };
}

/** The threshold of a target that is one class or a band. The interval of another target is named as the goal. */
export function thresholdOf(
  target: TargetDocument,
  { decision }: Pick<ResultDocument, 'decision'>,
  context: LetterContext,
): number | undefined {
  const { model, thresholds } = context;
  const band = bandOf(target, context);
  if (band) return band.from;
  if (typeof target !== 'string') return undefined;
  const index = model.classes!.indexOf(target);
  if (thresholds) return thresholds[index as 0 | 1];
  // The threshold depends on the person's segment: that of the second class is in the result.
  return index === 1 ? decision?.threshold : undefined;
}

/** The person's score, the threshold and the score of the first answer on a scale from 0 to 1. Nothing for other scores. */
export function scaleOf(result: ResultDocument, scores: LetterScores, { words }: LetterContext): LetterBlock[] {
  const { factual, counterfactuals } = result;
  const { threshold } = scores;
  if (threshold === undefined || !factual || !isInside(threshold)) return [];
  const mark = (role: ScaleMark['role'], at: number): ScaleMark => ({
    role,
    at,
    label: words.decision[role],
    score: scores.show(at),
  });
  const after = counterfactuals.slice(0, 1).map(({ score }) => mark('after', score));
  return [{ kind: 'scale', marks: [mark('now', factual.score), mark('needed', threshold), ...after] }];
}

const isInside = (score: number): boolean => score > 0 && score < 1;

/** The band of the person, and the lower end of the band that is the target. */
function bandSentences({ target, decision }: ResultDocument, scores: LetterScores, context: LetterContext): string[] {
  const { decision: words } = context.words;
  const wanted = target === null ? undefined : bandOf(target, context);
  if (!wanted || decision?.band === undefined) return [];
  const own = decision.band === null ? words.noBand : words.band(decision.band);
  return [own, words.bandFrom(wanted.name, scores.show(wanted.from))];
}

/** The sentences about the person's score. */
export function scoreSentences(result: ResultDocument, scores: LetterScores, context: LetterContext): string[] {
  const { words, names } = context;
  const { target, factual } = result;
  const name = target === null ? undefined : scoredClass(target, context);
  if (name === undefined || !factual) return bandSentences(result, scores, context);
  const shown = names.class(name);
  const own = words.decision.scoreOf(shown, scores.show(factual.score));
  const ofBands = bandSentences(result, scores, context);
  if (ofBands.length) return [own, ...ofBands];
  if (typeof target !== 'string') return [own];
  if (scores.threshold !== undefined) return [own, words.decision.threshold(shown, scores.show(scores.threshold))];
  // The threshold of a segment is known for the second class alone.
  return result.decision?.threshold === undefined ? [own, words.decision.highestWins] : [own];
}
