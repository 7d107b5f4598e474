/**
 * The meaning of a feature as far as its name tells: a candidate for "never changes" or "only increases". A hint is a question to the author
 * of a policy, not a fact.
 */
import type { Feature } from '../../models/features.js';

export interface NameHint {
  readonly change: 'never' | 'increase';
  /** The word of the name that gave the hint. */
  readonly word: string;
}

const LASTING = new Set(
  `age alter sex gender geschlecht sexe race ethnicity ethnic nationality nationalitaet nationalité citizenship citizen
  birth birthday birthdate birthplace born dob naissance geburt geburtsdatum geburtsjahr geburtsort zip zipcode postcode postal plz religion origin native ssn uuid
  identifier`.split(/\s+/),
);

/** Levels that people gain and do not lose. */
const GAINED = new Set('tenure seniority experience education qualification degree'.split(' '));

const SPANS = new Set('years year months month days weeks yrs jahre monate ans mois'.split(' '));
/** A span with one of these words is the time since an event. */
const SINCE = new Set(
  'at of in as since employed employment job work service customer client residence account member licence license'.split(
    ' ',
  ),
);

/** Undefined: the name tells nothing. */
export function hintOf({ name, kind }: Feature): NameHint | undefined {
  const words = wordsOf(name);
  const lasting = words.find((word) => LASTING.has(word)) ?? (words.at(-1) === 'id' ? 'id' : undefined);
  if (lasting !== undefined) return { change: 'never', word: lasting };
  if (kind === 'choice' || kind === 'boolean') return undefined;
  const gained = words.find((word) => GAINED.has(word)) ?? spanOf(words);
  return gained === undefined ? undefined : { change: 'increase', word: gained };
}

function spanOf(words: readonly string[]): string | undefined {
  return words.some((word) => SINCE.has(word)) ? words.find((word) => SPANS.has(word)) : undefined;
}

/** `monthsAtJob`, `months_at_job` and `months at job` -> months, at, job. */
function wordsOf(name: string): string[] {
  const words = name.match(/\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? [];
  return words.map((word) => word.toLowerCase());
}
