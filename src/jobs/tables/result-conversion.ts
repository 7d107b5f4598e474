/** The conversion of the stored results of a batch into another format, for a thread (table-host.ts). */
import type { ResultDetail } from '../../explain/result.js';
import type { Manifest } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import type { FileFormat } from '../rows/endings.js';
import type { WriteTableWork } from './table-messages.js';

/** Undefined: the results stay as they are stored. Short lines are NDJSON, and the caller refuses other formats of them. */
export async function conversionOf(
  store: Store,
  { model, policy: { document, digest } }: Manifest,
  format: FileFormat,
  detail: ResultDetail,
): Promise<Omit<WriteTableWork, 'kind'> | undefined> {
  if (detail === 'full' && format === 'ndjson') return undefined;
  return {
    format: format === 'ndjson' ? 'brief' : format,
    model: { bytes: await store.models.read(model), digest: model.digest, version: model.version },
    policy: { document, name: document.name, digest },
  };
}
