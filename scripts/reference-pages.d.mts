/** The types of reference-pages.mjs, for tests. */
import type { DescribedDocument } from './reference-examples.mjs';

export interface Section {
  readonly key: string;
  readonly path: readonly string[];
  readonly family?: string;
  readonly variants: readonly unknown[];
  readonly examples: readonly unknown[];
}

export function referencePages(schemas: Readonly<Record<string, unknown>>): Record<string, string>;
export function sectionsOf(document: DescribedDocument, schema: unknown): Section[];
