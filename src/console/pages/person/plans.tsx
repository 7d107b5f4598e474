/** The plans of a result: a tab for each, the score against the threshold, and a card for each feature that changes. */
import type { FeatureDocument } from '../../../documents/model-document.js';
import type { PolicyInput, TargetDocument } from '../../../documents/policy-document.js';
import type { CounterfactualDocument, ResultDocument } from '../../../documents/result-document.js';
import type { LetterContext } from '../../../report/letters/letter-context.js';
import { bandOf } from '../../../report/letters/letter-goal.js';
import { toldRange } from '../../../report/letters/letter-ranges.js';
import { rangeInWords } from '../../../report/letters/letter-ways.js';
import { targetInWords } from '../../../report/target-words.js';
import { nameInWords } from '../../../report/words.js';
import { Histogram, type Mark } from '../../parts/histogram.js';
import { isNumeric, labelOf, type Population, type RowOfFeatures, showValue } from './population.js';
import { ScoreBar } from './score-bar.js';

interface PlansProps {
  readonly result: ResultDocument;
  readonly population: Population;
  /** Undefined: not known. */
  readonly policy: PolicyInput | undefined;
  readonly facts: LetterContext;
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

export function Plans({ result, population, policy, facts, open, own, onOpen }: PlansProps) {
  const { counterfactuals: plans } = result;
  const plan = plans[open];
  const titles = titlesOf(plans, facts);
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
            <strong>{titles[k]}</strong>
            <span>{one.changes.map((change) => shortly(change, population)).join(', ')}</span>
          </button>
        ))}
      </div>
      <div id="plan" role="tabpanel" aria-labelledby={`plan-${open}`}>
        <ScoreBar {...{ result, plan, facts }} margin={policy && (policy.margin ?? 0)} />
        <div class="cards">
          {plan.changes.map((change) => (
            <FeatureCard
              key={change.feature}
              feature={population.features.find(({ name }) => name === change.feature)!}
              change={change}
              region={plan.region}
              own={own}
              population={population}
              facts={facts}
            />
          ))}
          <Stays plan={plan} policy={policy} population={population} />
        </div>
        <p class="quiet">
          {PROOFS[plan.proof.kind]} The model scored the plan again after rounding. Policy {result.policy.name}.
        </p>
      </div>
    </>
  );
}

/** `Plan A`. Where plans have targets or levers of their own: `Band “B”`, and `Band “B”, way 2`. */
function titlesOf(plans: ResultDocument['counterfactuals'], facts: LetterContext): string[] {
  const kinds = plans.map(({ lever, target }) => {
    if (lever) return `By ${lever}`;
    return target === undefined ? undefined : targetTitle(target, facts);
  });
  return kinds.map((kind, k) => {
    const before = kinds.slice(0, k).filter((other) => other === kind).length;
    if (kind === undefined) return `Plan ${LETTERS[k]}`;
    return before ? `${kind}, way ${before + 1}` : kind;
  });
}

function targetTitle(target: TargetDocument, facts: LetterContext): string {
  const title = targetInWords(target, (name) => facts.words.quote(facts.names.class(name)));
  return `${bandOf(target, facts) ? 'Band' : 'For'} ${title}`;
}

function moveTab(event: KeyboardEvent, open: number, count: number, onOpen: (plan: number) => void): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = (open + step + count) % count;
  onOpen(next);
  document.getElementById(`plan-${next}`)?.focus();
}

/** `monthly income +150 EUR`, `co-applicant: yes` */
function shortly({ feature, from, to }: Change, { features }: Population): string {
  const known = features.find(({ name }) => name === feature);
  const name = nameInWords(feature, known?.label);
  return typeof to === 'number' ? `${name} ${differenceOf(from, to, known?.unit)}` : `${name}: ${showValue(to)}`;
}

type Change = CounterfactualDocument['changes'][number];

interface CardProps {
  readonly feature: FeatureDocument;
  readonly change: Change;
  readonly region: CounterfactualDocument['region'];
  readonly own: RowOfFeatures | undefined;
  readonly population: Population;
  readonly facts: LetterContext;
}

/** Values have all their digits, and ranges the words of the letter: a rounded value may not be an answer. */
function FeatureCard({ feature, change, region, own, population, facts }: CardProps) {
  const { name, unit } = feature;
  const { from, to } = change;
  const range = region?.features[name];
  const band = range && !('in' in range) ? range : undefined;
  const others = toldRange(change, region, false, facts);
  return (
    <article class="card">
      <div class="title">
        <h2>{labelOf(feature)}</h2>
        <span class="badge yes-badge">{differenceOf(from, to, unit)}</span>
      </div>
      <p class="change">
        {typeof from === 'number' ? facts.format.number(from) : facts.names.value(name, from)}{' '}
        <span aria-hidden="true">→</span>
        <span class="unseen"> to </span> {facts.names.value(name, to)}
      </p>
      <Picture feature={feature} population={population} marks={marksOf(from, to, own?.[name])} band={band} to={to} />
      {others && (
        <p class="quiet">
          Works as well, with the other changes: {rangeInWords(name, others, to, facts)}. This is proved for every
          permitted value.
        </p>
      )}
    </article>
  );
}

/** `+150 EUR/month`, `change` */
function differenceOf(from: unknown, to: unknown, unit?: string): string {
  if (typeof from !== 'number' || typeof to !== 'number') return 'change';
  const difference = Number((to - from).toPrecision(12));
  return `${difference > 0 ? '+' : '−'}${showValue(Math.abs(difference), unit)}`;
}

interface StaysProps extends Pick<PlansProps, 'population' | 'policy'> {
  readonly plan: CounterfactualDocument;
}

/** The details that nobody is asked to change, and the others that the plan leaves as they are. */
function Stays({ plan, policy, population: { features } }: StaysProps) {
  const never = features.filter(({ name }) => policy?.features?.[name]?.change === 'never');
  return (
    <article class="card">
      <h2>Stays as it is</h2>
      {never.length > 0 && <p class="quiet">Never asked to change: {listOf(never)}.</p>}
      <p class="quiet">
        Details that stay as they are: {features.length - plan.changes.length} of {features.length}.
      </p>
    </article>
  );
}

const listOf = (features: readonly FeatureDocument[]): string =>
  features.map(({ name, label }) => nameInWords(name, label)).join(', ');

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
  readonly band: { readonly from?: number; readonly to?: number } | undefined;
  readonly to: unknown;
}

function Picture({ feature, population, marks, band, to }: PictureProps) {
  const known = population.background[feature.name];
  if (!known) return null;
  if (isNumeric(feature)) {
    return (
      <Histogram
        of={known}
        marks={marks}
        band={band}
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
