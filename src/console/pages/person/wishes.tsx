/** What is easier for the person: difficulty, range and number of changes. The overlay of these wishes only tightens the policy. */
import type { FeatureDocument } from '../../../documents/model-document.js';
import type { OverlayInput, PolicyInput } from '../../../documents/policy-document.js';
import { isNumeric, labelOf } from './population.js';

export interface Wish {
  /** An index of `DIFFICULTIES`. */
  readonly difficulty?: number;
  readonly min?: number;
  readonly max?: number;
}

export interface Wishes {
  readonly features: Readonly<Record<string, Wish>>;
  readonly maxChanges?: number;
}

export const DIFFICULTIES = [
  { word: 'very easy', factor: 0.25 },
  { word: 'easy', factor: 0.5 },
  { word: 'neutral', factor: 1 },
  { word: 'hard', factor: 4 },
  { word: 'impossible', factor: Number.POSITIVE_INFINITY },
] as const;
const NEUTRAL = 2;
const PLANS = 3;

export function overlayOf({ features, maxChanges }: Wishes): OverlayInput {
  const rules: NonNullable<OverlayInput['features']> = {};
  const difficulty: Record<string, number> = {};
  for (const [name, { difficulty: step = NEUTRAL, min, max }] of Object.entries(features)) {
    const { factor } = DIFFICULTIES[step];
    if (factor === Number.POSITIVE_INFINITY) rules[name] = { change: 'never' };
    else if (min !== undefined || max !== undefined) rules[name] = { min, max };
    if (Number.isFinite(factor) && factor !== 1) difficulty[name] = factor;
  }
  return { features: rules, difficulty, maxChanges, count: PLANS, region: true };
}

interface WishesProps {
  readonly features: readonly FeatureDocument[];
  readonly policy: PolicyInput | undefined;
  readonly wishes: Wishes;
  readonly isBusy: boolean;
  onChange(wishes: Wishes): void;
  onMake(): void;
}

export function WishesForm({ features, policy, wishes, isBusy, onChange, onMake }: WishesProps) {
  const mayChange = features.filter(({ name }) => policy?.features?.[name]?.change !== 'never');
  const set = (name: string, wish: Wish) =>
    onChange({ ...wishes, features: { ...wishes.features, [name]: { ...wishes.features[name], ...wish } } });
  const submit = (event: Event) => {
    event.preventDefault();
    onMake();
  };
  const most = policy?.maxChanges ?? features.length;
  return (
    <form class="card wishes" onSubmit={submit} aria-label="Your wishes">
      <h2>What is easier for you?</h2>
      <p class="ends quiet" aria-hidden="true">
        <span>easy</span> <span>not possible</span>
      </p>
      {mayChange.map((feature) => (
        <Difficulty
          key={feature.name}
          feature={feature}
          step={wishes.features[feature.name]?.difficulty ?? NEUTRAL}
          onStep={(difficulty) => set(feature.name, { difficulty })}
        />
      ))}
      <details>
        <summary>Limits of numbers</summary>
        {mayChange.filter(isNumeric).map((feature) => (
          <Limits
            key={feature.name}
            feature={feature}
            wish={wishes.features[feature.name] ?? {}}
            onChange={(wish) => set(feature.name, wish)}
          />
        ))}
      </details>
      <label class="row" for="max-changes">
        <span>At most so many changes</span>
        <input
          id="max-changes"
          type="number"
          min={1}
          max={most}
          value={wishes.maxChanges ?? ''}
          placeholder={String(most)}
          onInput={({ currentTarget }) => onChange({ ...wishes, maxChanges: numberIn(currentTarget) })}
        />
      </label>
      <button type="submit" class="main" disabled={isBusy}>
        Make new plans
      </button>
      <p class="quiet">Your wishes can only narrow what the policy allows.</p>
    </form>
  );
}

const ENDS = [
  { end: 'min', word: 'At least' },
  { end: 'max', word: 'At most' },
] as const;

const numberIn = ({ value }: HTMLInputElement): number | undefined => (value === '' ? undefined : Number(value));

interface DifficultyProps {
  readonly feature: FeatureDocument;
  readonly step: number;
  onStep(step: number): void;
}

function Difficulty({ feature, step, onStep }: DifficultyProps) {
  return (
    <fieldset class="wish">
      <legend>
        {labelOf(feature)} <span class="unseen">: difficulty</span>
      </legend>
      <div class="dots">
        {DIFFICULTIES.map(({ word }, k) => (
          <label key={word} title={word}>
            <input
              type="radio"
              name={`difficulty-${feature.name}`}
              aria-label={word}
              checked={k === step}
              onChange={() => onStep(k)}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface LimitsProps {
  readonly feature: FeatureDocument;
  readonly wish: Wish;
  onChange(wish: Wish): void;
}

function Limits({ feature, wish, onChange }: LimitsProps) {
  return (
    <fieldset class="pair limits">
      <legend>
        {labelOf(feature)} {feature.unit && <span class="quiet">{feature.unit}</span>}
      </legend>
      {ENDS.map(({ end, word }) => (
        <label key={end}>
          {word}
          <input
            type="number"
            step="any"
            value={wish[end] ?? ''}
            onInput={({ currentTarget }) => onChange({ [end]: numberIn(currentTarget) })}
          />
        </label>
      ))}
    </fieldset>
  );
}
