/** The types of reference-examples.mjs, for tests. */
export interface DescribedDocument {
  readonly schema: string;
}

export interface ReferencePage {
  readonly title: string;
  readonly introduction: string;
  readonly documents: readonly DescribedDocument[];
}

export const PAGES: Readonly<Record<string, ReferencePage>>;
