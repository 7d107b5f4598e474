/** What the caller of an importer chooses, where a file leaves a choice. */
export interface ImportChoices {
  /** The output that the document keeps, of a model that predicts several numbers or labels for a row. Counted from 0. */
  readonly output?: number;
  /** The most nodes of all trees. Trees that are stored in a shorter form grow when they are imported. */
  readonly treeNodes?: number;
}

/** Two million nodes are a document of about 100 MB. */
export const DEFAULT_TREE_NODES = 2_000_000;
