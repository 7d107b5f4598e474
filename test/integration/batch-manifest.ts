/** A manifest for tests of the store: a batch that nobody will work on. */
import { policySchema } from '../../src/documents/policy-document.js';
import type { Manifest } from '../../src/store/batches/manifest.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;

export function manifestOf(id: string): Manifest {
  return {
    schema: 'elsewise.batch/v1',
    id,
    model: { name: 'credit', version: 1, digest: DIGEST },
    policy: {
      digest: DIGEST,
      document: policySchema.parse({
        schema: 'elsewise.policy/v1',
        name: 'policy',
        cost: { norm: 'l1', weights: 'none' },
        deadlineMs: 1000,
      }),
    },
    layout: { format: 'ndjson' },
    chunkRows: 2,
    ttlSeconds: 1000,
    by: 'tester@here',
    created: new Date().toISOString(),
  };
}
