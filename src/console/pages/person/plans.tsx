/** The plans of a result: a tab for each, the score against the threshold, and a card for each feature that changes. */
import type { FeatureDocument } from '../../../documents/model-document.js';
import type { CounterfactualDocument, ResultDocument } from '../../../documents/result-document.js';
import { describeChange, describeRegion } from '../../../report/words.js';
import { Histogram, type Mark } from '../../parts/histogram.js';
import { isNumeric, labelOf, type Population, type RowOfFeatures, showValue } from './population.js';

interface PlansProps {
  readonly result: ResultDocument;
  readonly population: Population;
  readonly open: number;
  /** Values that the person tries. */
  readonly own: RowOfFeatures | undefined;
  onOpen(plan: number): void;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRST';
const PROOFS = {
  optimal: 'Proved: no plan of its kind costs less.',
  gap: 'A cheaper plan may exist, within a proved limit.',
  heuristic: 'A cheaper plan may exist.',
};

export function Plans({ result, population, open, own, onOpen }: PlansProps) {
  const { counterfactuals: plans } = result;
  const plan = plans[open];
  return (
    <>
      <div
        class="tabs"
        role="tablist"
        aria-label="Plans"
        onKeyDown={(event) => moveTab(event, open, plans.length, onOpen)}
      >
        {plans.map((one, k) => (
          <button
            key={k}
            type="button"
            role="tab"
            id={`plan-${k}`}
            aria-selected={k === open}
            aria-controls="plan"
            tabIndex={k === open ? 0 : -1}
            onClick={() => onOpen(k)}
          >
            <strong>{one.lever ? `By ${one.lever}` : `Plan ${LETTERS[k]}`}</strong>
            <span>{one.changes.map((change) => describeChange(change, population.features)).join('; ')}</span>
          </button>
        ))}
      </div>
      <div id="plan" role="tabpanel" aria-labelledby={`plan-${open}`}>
        <ScoreBar result={result} plan={plan} population={population} />
        <div class="cards">
          {plan.changes.map(({ feature }) => (
            <FeatureCard
              key={feature}
              feature={population.features.find(({ name }) => name === feature)!}
              plan={plan}
              now={result.factual!.features}
              own={own}
              population={population}
            />
          ))}
        </div>
        <p class="quiet">
          {PROOFS[plan.proof.kind]} {population.features.length - plan.changes.length} of {population.features.length}{' '}
          details stay as they are. The model scored the plan again after rounding.
        </p>
      </div>
    </>
  );
}

function moveTab(event: KeyboardEvent, open: number, count: number, onOpen: (plan: number) => void): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = (open + step + count) % count;
  onOpen(next);
  document.getElementById(`plan-${next}`)?.focus();
}

/** The threshold for the target: that of the second class, or the rest of it for the first class. */
function neededFor(target: ResultDocument['target'], { classes, threshold }: Population): number | undefined {
  if (typeof target !== 'string' || threshold === undefined || classes.length !== 2) return undefined;
  return target === classes[1] ? threshold : 1 - threshold;
}

function ScoreBar({
  result,
  plan,
  population,
}: {
  result: ResultDocument;
  plan: CounterfactualDocument;
  population: Population;
}) {
  const now = result.factual!.score;
  const needed = neededFor(result.target, population);
  const isShare = population.classes.length > 0 && [now, plan.score].every((score) => score >= 0 && score <= 1);
  const told = (score: number) => (isShare ? score.toFixed(2) : showValue(score));
  const words = `Score now ${told(now)}, with this plan ${told(plan.score)}${needed === undefined ? '' : `, needed ${told(needed)}`}`;
  if (!isShare) return <p class="card">{words}</p>;
  return (
    <figure class="card score">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="track" width="100" height="6" />
        <rect class="then" width={100 * plan.score} height="6" />
        <rect class="now" width={100 * now} height="6" />
        {needed !== undefined && <rect class="needed" x={100 * needed - 0.15} width="0.3" height="6" />}
      </svg>
      <figcaption>
        <span class="no">now {told(now)}</span>
        {needed !== undefined && <span>needed {told(needed)}</span>}
        <span class="yes">{told(plan.score)} with this plan</span>
      </figcaption>
    </figure>
  );
}

interface CardProps {
  readonly feature: FeatureDocument;
  readonly plan: CounterfactualDocument;
  readonly now: RowOfFeatures;
  readonly own: RowOfFeatures | undefined;
  readonly population: Population;
}

function FeatureCard({ feature, plan, now, own, population }: CardProps) {
  const { name, unit } = feature;
  const [from, to] = [now[name], plan.features[name]];
  const range = plan.region?.features[name];
  return (
    <article class="card">
      <h2>{labelOf(feature)}</h2>
      <p class="change">
        {showValue(from)} <span aria-hidden="true">→</span>
        <span class="unseen"> to </span> {showValue(to, unit)}
      </p>
      <Picture feature={feature} population={population} marks={marksOf(from, to, own?.[name])} to={to} />
      {range && plan.region && (
        <p class="quiet">
          Works as well, with the other changes:{' '}
          {describeRegion({ ...plan.region, features: { [name]: range } }, population.features)}. Proved.
        </p>
      )}
    </article>
  );
}

function marksOf(now: unknown, suggested: unknown, own: unknown): Mark[] {
  const marks = [
    { kind: 'now', value: now },
    { kind: 'suggested', value: suggested },
    { kind: 'own', value: own === now ? undefined : own },
  ] as const;
  return marks.filter(({ value }) => typeof value === 'number') as Mark[];
}

interface PictureProps {
  readonly feature: FeatureDocument;
  readonly population: Population;
  readonly marks: readonly Mark[];
  readonly to: unknown;
}

function Picture({ feature, population, marks, to }: PictureProps) {
  const known = population.background[feature.name];
  if (!known) return null;
  if (isNumeric(feature)) {
    return (
      <Histogram
        of={known}
        marks={marks}
        label={`Distribution of ${labelOf(feature)} with ${marks.map(({ kind, value }) => `${kind} ${value}`).join(', ')}`}
      />
    );
  }
  const share = known.values?.[String(to)] ?? 0;
  return (
    <>
      <meter min={0} max={1} value={share} aria-label={`Share with ${showValue(to as string)}`} />
      <p class="quiet">{Math.round(100 * share)} % of people have this.</p>
    </>
  );
}
