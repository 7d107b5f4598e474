/** What can be wrong with a result. `given-up` and `refused` are counted; all others are wrong. */
export type FaultCode =
  | 'throws'
  | 'breaks-schema'
  | 'not-repeatable'
  | 'wrong-already'
  | 'missed-already'
  | 'wrong-invalid'
  | 'missed-invalid'
  | 'wrong-factual'
  | 'no-answer'
  | 'breaks-policy'
  | 'wrong-cost'
  | 'wrong-changes'
  | 'wrong-distances'
  | 'wrong-prediction'
  | 'wrong-score'
  | 'wrong-proof'
  | 'false-optimal'
  | 'false-bound'
  | 'oracle-missed'
  | 'false-infeasible'
  | 'blocking-unknown-entry'
  | 'blocking-does-not-block'
  | 'blocking-not-minimal'
  | 'relaxation-does-not-help'
  | 'relaxation-wrong-cost'
  | 'relaxation-not-cheapest'
  | 'relaxation-missed'
  | 'words-claim-too-much'
  | 'count-repeats-a-set'
  | 'count-not-cheapest'
  | 'count-too-few'
  | 'region-misses-answer'
  | 'region-holds-no-answer'
  | 'region-not-maximal'
  | 'given-up'
  | 'refused';

export interface Fault {
  code: FaultCode;
  detail: string;
}

export const fault = (code: FaultCode, detail: string): Fault => ({ code, detail });
