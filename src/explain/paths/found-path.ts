/** A path over rows of the background, from a person to an answer. */

/** A row of a path, and its distance from the row before. */
export interface PathStep {
  readonly sample: number;
  readonly values: Float64Array;
  readonly cost: number;
}

export interface FoundPath {
  readonly length: number;
  readonly steps: readonly PathStep[];
}
