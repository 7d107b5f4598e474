/**
 * Writes the results of a finished batch to a file: under another name first, so that whoever watches the folder never
 * sees half of one, and a delivery that is repeated ends with the same file.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BatchStatus } from '../store/batch-store.js';
import type { Store } from '../store/store.js';
import { followResults } from './batch.js';
import type { DeliveryJob } from './schedule.js';
import { openSink } from './streams.js';

/** `again`: to be looked at once more after so long. */
export type DeliveryStep = { readonly again: number } | { readonly again?: undefined };

const LOOK_EVERY_MS = 1_000;
/** Failed chunks may be retried by hand until the batch expires. */
const LOOK_FOR_RETRY_MS = 30_000;

export async function deliver(store: Store, job: DeliveryJob): Promise<DeliveryStep> {
  const status = await store.batches.status(job.batch);
  const { isSealed, chunks, done, failed } = status;
  if (!isSealed || done + failed < chunks) return { again: LOOK_EVERY_MS };
  if (failed > 0) {
    await recordFailure(store, job, describeFailed(status));
    return { again: LOOK_FOR_RETRY_MS };
  }
  await writeResults(store, job);
  await store.schedules.recordDelivery(job.schedule, job.batch, { at: now(), output: job.output });
  return {};
}

export async function recordFailure(store: Store, job: DeliveryJob, message: string): Promise<void> {
  const failure = { code: 'failed', message };
  await store.schedules.recordDelivery(job.schedule, job.batch, { at: now(), failure });
}

async function writeResults(store: Store, { batch, output }: DeliveryJob): Promise<void> {
  await mkdir(dirname(output), { recursive: true });
  const partial = join(dirname(output), `.${basename(output)}.${randomBytes(4).toString('hex')}`);
  try {
    const sink = await openSink(partial);
    try {
      for await (const { bytes } of followResults(store, batch)) await sink.write(bytes);
    } finally {
      await sink.close();
    }
    await rename(partial, output);
  } finally {
    await rm(partial, { force: true });
  }
}

function describeFailed({ manifest, chunks, failed }: BatchStatus): string {
  return `${failed} of ${chunks} chunks of batch ${manifest.id} failed; its results are written once all are done`;
}

const now = (): string => new Date().toISOString();
