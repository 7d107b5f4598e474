/** The score now, the score with a plan, and the score that is needed, on one bar. */
import type { CounterfactualDocument, ResultDocument } from '../../../documents/result-document.js';
import { type Population, showValue } from './population.js';

interface ScoreBarProps {
  readonly result: ResultDocument;
  readonly plan: CounterfactualDocument;
  readonly population: Population;
  readonly margin: number;
}

/** The threshold of the target, with the margin that the policy requires beyond it. */
function neededFor(
  { target, decision }: ResultDocument,
  { thresholds, classes }: Population,
  margin: number,
): number | undefined {
  if (typeof target !== 'string') return undefined;
  // A threshold that depends on the person's segment is that of the second class.
  const threshold = thresholds ? thresholds[target] : target === classes[1] ? decision?.threshold : undefined;
  return threshold === undefined ? undefined : threshold + margin;
}

export function ScoreBar({ result, plan, population, margin }: ScoreBarProps) {
  const now = result.factual!.score;
  const needed = neededFor(result, population, margin);
  const isShare = population.classes.length > 0 && [now, plan.score].every((score) => score >= 0 && score <= 1);
  const told = (score: number) => (isShare ? score.toFixed(2) : showValue(score));
  const words = `Score now ${told(now)}, with this plan ${told(plan.score)}${needed === undefined ? '' : `, needed ${told(needed)}`}`;
  if (!isShare) return <p class="card">{words}</p>;
  return (
    <figure class="card score">
      <div class="scale">
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={words}>
          <rect class="track" width="100" height="6" />
          <rect class="then" width={100 * plan.score} height="6" />
          <rect class="now" width={100 * now} height="6" />
        </svg>
        {needed !== undefined && <i class="needed" style={{ left: `${100 * needed}%` }} />}
      </div>
      <figcaption aria-hidden="true">
        {needed !== undefined && (
          <span class={`mark above${sideOf(needed, 'after')}`} style={{ left: `${100 * needed}%` }}>
            needed {told(needed)}
          </span>
        )}
        <span class={`mark no${sideOf(now, 'before')}`} style={{ left: `${100 * now}%` }}>
          now {told(now)}
        </span>
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
