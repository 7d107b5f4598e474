/** The common content of CatBoost's JSON and of its binary form. */
export const ROOT = 'catboost';

export interface NumberFeature {
  readonly name: string;
  /** The place among all features of a row. */
  readonly place: number;
  /** Whether a missing value counts as larger than every border. Otherwise it is larger than none. */
  readonly isMissingLargest: boolean;
}

export interface WordFeature {
  readonly name: string;
  readonly place: number;
  /** The hashes of the words that splits ask for. */
  readonly hashes: readonly number[];
}

/** x > border for a number, x = word for a word. */
export type CatboostSplit =
  | { readonly kind: 'border'; readonly feature: number; readonly border: number }
  | { readonly kind: 'word'; readonly feature: number; readonly hash: number };

/** Every node of a level asks the same: split i decides bit i of the leaf's number. */
export interface ObliviousTree {
  readonly splits: readonly CatboostSplit[];
  /** The numbers of leaf 0, then those of leaf 1, ... */
  readonly leaves: readonly number[];
}

export type CatboostNode =
  | { readonly value: readonly number[] }
  | { readonly split: CatboostSplit; readonly left: CatboostNode; readonly right: CatboostNode };

export interface CatboostModel {
  /** `loss_function` of the parameters in the file, if there are any. */
  readonly loss: string | undefined;
  readonly classes: readonly string[];
  /** The probability from which a row is of the second class, where the file has one. */
  readonly probabilityThreshold: string | undefined;
  readonly numbers: readonly NumberFeature[];
  readonly words: readonly WordFeature[];
  /** By hash: the word, where the file has words. */
  readonly wordOf: ReadonlyMap<number, string>;
  /** Numbers in a leaf. */
  readonly dimension: number;
  readonly trees: readonly (ObliviousTree | CatboostNode)[];
  readonly scale: number;
  readonly bias: readonly number[];
}
