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
      {mayChange.map((feature) => (
        <FeatureWish key={feature.name} feature={feature} wish={wishes.features[feature.name] ?? {}} onChange={set} />
      ))}
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

interface FeatureWishProps {
  readonly feature: FeatureDocument;
  readonly wish: Wish;
  onChange(name: string, wish: Wish): void;
}

function FeatureWish({ feature, wish, onChange }: FeatureWishProps) {
  const { name } = feature;
  const { word } = DIFFICULTIES[wish.difficulty ?? NEUTRAL];
  return (
    <details class="wish">
      <summary>
        <span>{labelOf(feature)}</span> <span class="quiet">{word}</span>
      </summary>
      <fieldset class="dots">
        <legend>Difficulty of {labelOf(feature)}</legend>
        {DIFFICULTIES.map((difficulty, k) => (
          <label key={difficulty.word}>
            <input
              type="radio"
              name={`difficulty-${name}`}
              checked={k === (wish.difficulty ?? NEUTRAL)}
              onChange={() => onChange(name, { difficulty: k })}
            />
            {difficulty.word}
          </label>
        ))}
      </fieldset>
      {isNumeric(feature) && (
        <div class="pair">
          {ENDS.map(({ end, word }) => (
            <label key={end}>
              {word}
              <input
                type="number"
                step="any"
                value={wish[end] ?? ''}
                onInput={(e) => onChange(name, { [end]: numberIn(e.currentTarget) })}
              />
            </label>
          ))}
        </div>
      )}
    </details>
  );
}
