/** Numbers with their units, in English. */
import { unitForms } from './letters/letter-units.js';

/** `1 month`, `3 months`, `2,600 EUR`. `shown`: the number as text. */
export function withUnit(shown: string, unit: string | undefined): string {
  if (!unit) return shown;
  const { one, other } = unitForms(unit, 'en');
  return `${shown} ${/^[-−+]?1$/.test(shown) ? one : other}`;
}
