/** The score now, the score with a plan, and the score that is needed, on one bar. */
import type { TargetDocument } from '../../../documents/policy-document.js';
import type { CounterfactualDocument, ResultDocument } from '../../../documents/result-document.js';
import type { LetterContext } from '../../../report/letters/letter-context.js';
import { scoredClass } from '../../../report/letters/letter-goal.js';
import { thresholdOf } from '../../../report/letters/letter-scores.js';
import { showValue } from './population.js';

interface ScoreBarProps {
  readonly result: ResultDocument;
  readonly plan: CounterfactualDocument;
  readonly facts: LetterContext;
  /** The margin of the policy. Undefined: the policy is not known. */
  readonly margin: number | undefined;
}

interface Score {
  readonly at: number;
  readonly words: string;
}

/** The threshold of the plan's target, with the margin beyond the threshold. The threshold alone does not tell the score that is needed. */
function neededFor(target: TargetDocument, { result, facts, margin }: ScoreBarProps): Score | undefined {
  const threshold = thresholdOf(target, result, facts);
  if (threshold === undefined) return undefined;
  return margin === undefined ? { at: threshold, words: 'threshold' } : { at: threshold + margin, words: 'needed' };
}

/** Undefined: the result reports the score of another class than the plan's. */
function nowOf({ factual, target }: ResultDocument, own: TargetDocument, facts: LetterContext): number | undefined {
  return scoredClass(target!, facts) === scoredClass(own, facts) ? factual!.score : undefined;
}

export function ScoreBar(props: ScoreBarProps) {
  const { result, plan, facts } = props;
  const target = plan.target ?? result.target!;
  const now = nowOf(result, target, facts);
  const needed = neededFor(target, props);
  const isShare =
    (facts.model.classes ?? []).length > 0 && [now ?? 0, plan.score].every((score) => score >= 0 && score <= 1);
  const told = (score: number) => (isShare ? score.toFixed(2) : showValue(score));
  const parts = [
    ...(now === undefined ? [] : [`now ${told(now)}`]),
    `with this plan ${told(plan.score)}`,
    ...(needed ? [`${needed.words} ${told(needed.at)}`] : []),
  ];
  const words = `Score ${parts.join(', ')}`;
  if (!isShare) return <p class="card">{words}</p>;
  return (
    <figure class="card score">
      <div class="scale">
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={words}>
          <rect class="track" width="100" height="6" />
          <rect class="then" width={100 * plan.score} height="6" />
          {now !== undefined && <rect class="now" width={100 * now} height="6" />}
        </svg>
        {needed && <i class="needed" style={{ left: `${100 * needed.at}%` }} />}
      </div>
      <figcaption aria-hidden="true">
        {needed && (
          <span class={`mark above${sideOf(needed.at, 'after')}`} style={{ left: `${100 * needed.at}%` }}>
            {needed.words} {told(needed.at)}
          </span>
        )}
        {now !== undefined && (
          <span class={`mark no${sideOf(now, 'before')}`} style={{ left: `${100 * now}%` }}>
            now {told(now)}
          </span>
        )}
        <span class={`mark yes${sideOf(plan.score, 'after')}`} style={{ left: `${100 * plan.score}%` }}>
          {told(plan.score)} with this plan
        </span>
      </figcaption>
    </figure>
  );
}

/** A label ends at its mark or begins there, whichever has room. */
const sideOf = (score: number, wish: 'before' | 'after'): string =>
  score < 0.15 || (wish === 'after' && score < 0.8) ? '' : ' before';
