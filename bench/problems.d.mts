/** The types of problems.mjs, for tests. */
export interface BenchCase {
  readonly label: string;
  readonly policy: string;
  readonly family: string;
  readonly classes: number;
  readonly size: number;
  readonly norm: string;
}

export interface BenchDocuments {
  readonly model: object;
  readonly policy: { readonly target: unknown };
  drawRow(): (number | boolean | string)[];
}

export function listCases(): BenchCase[];
export function buildCase(benchCase: BenchCase): BenchDocuments;
