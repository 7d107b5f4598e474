/** Units of numbers with their forms: one month, two months, in German in steps of two `Monaten`. */
import type { Language, UnitForms } from '../../documents/labels/label-document.js';

/** The forms of common units, so that labels need not have them. */
const KNOWN: Readonly<Record<Language, readonly UnitForms[]>> = {
  en: [
    { one: 'year', other: 'years' },
    { one: 'month', other: 'months' },
    { one: 'week', other: 'weeks' },
    { one: 'day', other: 'days' },
    { one: 'hour', other: 'hours' },
    { one: 'point', other: 'points' },
  ],
  de: [
    { one: 'Jahr', other: 'Jahre', dative: 'Jahren' },
    { one: 'Monat', other: 'Monate', dative: 'Monaten' },
    { one: 'Woche', other: 'Wochen', dative: 'Wochen' },
    { one: 'Tag', other: 'Tage', dative: 'Tagen' },
    { one: 'Stunde', other: 'Stunden', dative: 'Stunden' },
    { one: 'Punkt', other: 'Punkte', dative: 'Punkten' },
  ],
  fr: [
    { one: 'an', other: 'ans' },
    { one: 'année', other: 'années' },
    { one: 'mois', other: 'mois' },
    { one: 'semaine', other: 'semaines' },
    { one: 'jour', other: 'jours' },
    { one: 'heure', other: 'heures' },
    { one: 'point', other: 'points' },
  ],
};

/** A text that no list knows, such as `EUR per month`, is its own form for all numbers. */
export function unitForms(given: string | UnitForms | undefined, language: Language): UnitForms {
  if (typeof given === 'object') return given;
  const unit = given ?? '';
  // A unit without a translation keeps the language of the model.
  const known = [KNOWN[language], ...Object.values(KNOWN)]
    .flat()
    .find(({ one, other }) => unit === one || unit === other);
  return known ?? { one: unit, other: unit };
}

export interface UnitPlace {
  /** After a preposition with the dative, as in `in Schritten von 3 Monaten`. */
  readonly isDative?: boolean;
}

export function unitOf(forms: UnitForms, plural: Intl.LDMLPluralRule, { isDative }: UnitPlace): string {
  if (plural === 'one') return forms.one;
  return (isDative ? forms.dative : undefined) ?? forms.other;
}
