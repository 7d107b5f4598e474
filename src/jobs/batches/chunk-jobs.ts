/** Jobs for the chunks of a batch. The data of a job follow from the manifest and the chunk, so a job can be created again. */
import type { ChunkFacts, Manifest } from '../../store/batches/manifest.js';
import { type ChunkJob, chunkJobId } from '../contract.js';
import type { TextQueue } from '../text-jobs.js';

export interface NumberedChunk {
  readonly index: number;
  readonly facts: ChunkFacts;
}

export function factsOf({ digest, firstRow, rows }: ChunkFacts): ChunkFacts {
  return { digest, firstRow, rows };
}

/** A chunk with an existing job gets no second one. */
export async function addChunkJobs(
  queue: TextQueue,
  manifest: Manifest,
  chunks: readonly NumberedChunk[],
): Promise<void> {
  if (chunks.length > 0) await queue.addBulk(chunks.map((chunk) => toJob(manifest, chunk)));
}

/** Removes jobs that no worker has taken. Returns the jobs that workers have taken. */
export async function removeChunkJobs(
  queue: TextQueue,
  batch: Manifest,
  indices: readonly number[],
): Promise<number[]> {
  const removed = await Promise.all(
    indices.map(async (index) => {
      const job = await queue.getJob(chunkJobId(batch, index));
      return job
        ? job.remove().then(
            () => true,
            () => false,
          )
        : true;
    }),
  );
  return indices.filter((_, i) => !removed[i]);
}

function chunkJob({ id: batch, model, policy }: Manifest, { index, facts }: NumberedChunk): ChunkJob {
  const { digest, firstRow, rows } = facts;
  return { schema: 'elsewise.chunk-job/v1', batch, chunk: index, firstRow, rows, digest, model, policy: policy.digest };
}

function toJob(manifest: Manifest, chunk: NumberedChunk) {
  return {
    name: 'chunk',
    data: JSON.stringify(chunkJob(manifest, chunk)),
    opts: { jobId: chunkJobId(manifest, chunk.index) },
  };
}
