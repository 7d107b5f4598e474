/** `d’une`, `de trois`, `de oui`: the preposition de before a text. */

const VOWEL = /^[aeiouàâäæéèêëîïôöœùûü]/i;
/** Words before which there is no elision although they begin with a vowel. */
const NO_ELISION = /^(?:oui|onz|ouistiti|uhlan|ululer|yaourt)/i;
/** An aspirated h. Other words with h elide. */
const ASPIRATED =
  /^h(?:a(?:ch|in|ïr|ll|lt|meau|mburg|nch|nd|ng|nt|rcel|rd|ri|rnais|rp|sard|ss|ut|uss|vre)|âte|ér(?:isson|on|os$)|être|eurt|ibou|iérarch|ockey|olland|omard|ong|ont|ors|ott|oul|ous|ublot|uit|url|utte)/i;

export function withDe(text: string): string {
  const isElided = /^h/i.test(text) ? !ASPIRATED.test(text) : VOWEL.test(text) && !NO_ELISION.test(text);
  return isElided ? `d’${text}` : `de ${text}`;
}
