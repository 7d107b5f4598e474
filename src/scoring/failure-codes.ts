/** The codes with which a row is answered when its scorer fails. */
import { ElsewiseError } from '../documents/error.js';

export const SCORER_CODES = ['scorer-unavailable', 'scorer-invalid', 'scorer-refused'] as const;
export type ScorerCode = (typeof SCORER_CODES)[number];

export interface ScorerLoss {
  readonly code: ScorerCode;
  readonly message: string;
}

/** What an error says of the scorer; undefined where the error is about something else. A scorer that misses its probes is invalid. */
export function scorerLossOf(error: unknown): ScorerLoss | undefined {
  if (!(error instanceof ElsewiseError)) return undefined;
  const code = error.code === 'bad-probe' ? 'scorer-invalid' : SCORER_CODES.find((known) => known === error.code);
  return code && { code, message: error.message };
}
