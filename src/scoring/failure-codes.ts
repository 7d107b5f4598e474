/** The codes of rows whose scorer fails. */
import { ElsewiseError } from '../documents/error.js';

export const SCORER_CODES = ['scorer-unavailable', 'scorer-invalid', 'scorer-refused'] as const;
export type ScorerCode = (typeof SCORER_CODES)[number];

export interface ScorerLoss {
  readonly code: ScorerCode;
  readonly message: string;
}

/** The scorer's failure code of an error. Undefined: the error does not come from the scorer. A scorer that fails its probes is invalid. */
export function scorerLossOf(error: unknown): ScorerLoss | undefined {
  if (!(error instanceof ElsewiseError)) return undefined;
  const code = error.code === 'bad-probe' ? 'scorer-invalid' : SCORER_CODES.find((known) => known === error.code);
  return code && { code, message: error.message };
}
