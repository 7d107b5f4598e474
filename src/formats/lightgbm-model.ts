/** The common content of the text and the dump of a LightGBM model. */

export interface Split {
  readonly feature: number;
  /** Not used by a set split. */
  readonly threshold: number;
  /** The codes that go left. Null: the threshold decides. */
  readonly codes: number[] | null;
  readonly isDefaultLeft: boolean;
  readonly missing: MissingType;
  /** A split, or the complement (~) of a leaf's number. */
  readonly left: number;
  readonly right: number;
}

export type MissingType = (typeof MISSING_TYPES)[number];

/** In the order of their numbers in `decision_type`. */
export const MISSING_TYPES = ['None', 'Zero', 'NaN'] as const;

export interface LightgbmTree {
  readonly splits: readonly Split[];
  readonly leaves: readonly number[];
}

export interface LightgbmModel {
  /** Its name, then its settings: `binary sigmoid:1`. */
  readonly objective: string;
  readonly isAverage: boolean;
  readonly treesPerIteration: number;
  /** `codes`: the categories of the training data; empty for a number. */
  readonly features: readonly { readonly name: string; readonly codes: readonly number[] }[];
  readonly trees: readonly LightgbmTree[];
}
