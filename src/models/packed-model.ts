/**
 * A loaded model in transit between threads: a small document, and parts in shared memory. The receiving thread loads the small document
 * again and uses the same memory.
 *
 * A packed model is made from a loaded model and never from a file: its parts have been checked.
 */
import type { ModelDocument } from '../documents/model-document.js';
import type { Bounds } from './bounds.js';
import { families } from './index.js';
import { assemble, type LoadedModel, type SharedModelParts } from './load.js';

export interface PackedModel {
  /** The document without the shared parameters. It contains only JSON. */
  readonly document: ModelDocument;
  readonly parts: SharedModelParts;
  readonly digest: string;
  readonly version: number | null;
  readonly bounds: Bounds;
}

export function packModel({ document, model, background, digest, version, bounds }: LoadedModel): PackedModel {
  const parts = { model: model.shared ?? null, background: background.shared };
  return { document: withoutShared(document), parts, digest, version, bounds };
}

export function unpackModel({ document, parts, digest, version, bounds }: PackedModel): LoadedModel {
  return assemble(document, { digest, version, bounds }, parts);
}

function withoutShared(document: ModelDocument): ModelDocument {
  const { shares = [] } = families.get(document.family)!;
  const parameters = Object.entries(document.parameters).filter(([key]) => !shares.includes(key));
  const { isolationForest: _forest, samples: _samples, ...background } = document.background ?? {};
  return { ...document, parameters: Object.fromEntries(parameters), background };
}
