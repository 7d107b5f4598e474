/** The common content of the text and the dump of a LightGBM model. */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';

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
  /** `pandas_categorical`: the categories of each column that pandas had as categories, in the order of the codes. */
  readonly categoryNames: readonly (readonly CategoryName[])[];
}

export type CategoryName = string | number | boolean;

/** Absent or null: the training data had no such columns. */
export const categoryNamesForm = listOf(listOf(z.union([z.string(), z.number(), z.boolean()])))
  .nullish()
  .transform((lists) => lists ?? []);
