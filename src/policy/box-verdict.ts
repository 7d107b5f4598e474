/** What is known of a claim about every point of a box. */

/** `refuted`: some point of the box fails; `unknown`: neither is shown. */
export type BoxVerdict = 'proved' | 'refuted' | 'unknown';

/** All claims at once: one refutation refutes. */
export function allOf(verdicts: Iterable<BoxVerdict>): BoxVerdict {
  let sure = true;
  for (const verdict of verdicts) {
    if (verdict === 'refuted') return 'refuted';
    if (verdict === 'unknown') sure = false;
  }
  return sure ? 'proved' : 'unknown';
}
