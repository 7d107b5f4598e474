/** The types of goals.mjs, for tests. */
export interface JudgedGoal {
  readonly headroom: number;
  readonly name: string;
  readonly limit: string;
  readonly measured: number;
  readonly unit: string;
}

/** `cases`: what problems.mjs was measured on. The other results of a run may be left out. */
export function judge(results: { readonly cases: readonly object[] }): JudgedGoal[];
