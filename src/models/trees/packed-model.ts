/**
 * A loaded model as it travels between threads: a small document, and beside it the trees as the flat arrays of shared memory
 * that they are by now. Whoever receives it loads the document again, which has no trees left to read, and uses the same arrays.
 *
 * A packed model comes out of a loaded one and never out of a file: its arrays have been checked, and votes counted.
 */
import type { ModelDocument } from '../../documents/model-document.js';
import { families } from '../index.js';
import { assemble, type Forests, type LoadedModel } from '../load.js';

export interface PackedModel {
  /** Without trees. Nothing but JSON. */
  readonly document: ModelDocument;
  readonly forests: Forests;
  readonly digest: string;
  readonly version: number | null;
}

export function packModel({ document, model, background, digest, version }: LoadedModel): PackedModel {
  const forests = { model: model.forest ?? null, background: background.isolationForest };
  return { document: withoutTrees(document), forests, digest, version };
}

export function unpackModel({ document, forests, digest, version }: PackedModel): LoadedModel {
  return assemble(document, { digest, version }, forests);
}

function withoutTrees(document: ModelDocument): ModelDocument {
  const { treesKey } = families.get(document.family)!;
  const parameters = Object.entries(document.parameters).filter(([key]) => key !== treesKey);
  const { isolationForest: _, ...background } = document.background ?? {};
  return { ...document, parameters: Object.fromEntries(parameters), background };
}
