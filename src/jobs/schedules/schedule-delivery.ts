/**
 * Writes the results of a finished batch to a file. The file first has another name, so a program that watches the folder never sees half a
 * file, and a repeated delivery ends with the same file.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { formatCount } from '../../report/numbers.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import type { Manifest } from '../../store/batches/manifest.js';
import type { Delivery } from '../../store/schedules/schedule-document.js';
import type { Store } from '../../store/store.js';
import { bytesOf, followResults } from '../batches/batch.js';
import { type BatchState, stateOf } from '../batches/batch-summary.js';
import { outputFormat } from '../rows/endings.js';
import { openSink } from '../rows/streams.js';
import { conversionOf } from '../tables/result-conversion.js';
import { tableInThread } from '../tables/table-host.js';
import type { DeliveryJob } from './schedule.js';

/** `again`: the delay before the next attempt. */
export type DeliveryStep = { readonly again: number } | { readonly again?: undefined };

const LOOK_EVERY_MS = 1_000;
/** Failed chunks may be retried by hand, and disk space may be freed, until the batch expires. */
const LOOK_FOR_RETRY_MS = 30_000;

type Step = (store: Store, job: DeliveryJob, status: BatchStatus) => Promise<DeliveryStep>;

const lookAgain: Step = async () => ({ again: LOOK_EVERY_MS });

const STEPS: Readonly<Record<BatchState, Step>> = {
  adding: lookAgain,
  working: lookAgain,
  done: async (store, job, status) => {
    const fault = await writeResults(store, job, status.manifest).then(() => undefined, outputFault);
    if (fault) {
      await recordFailure(store, job, fault);
      return { again: LOOK_FOR_RETRY_MS };
    }
    await store.schedules.recordDelivery(job.schedule, job.batch, { at: now(), output: job.output });
    return {};
  },
  failed: async (store, job, status) => {
    await recordFailure(store, job, { code: 'failed', message: describeFailed(status) });
    return { again: LOOK_FOR_RETRY_MS };
  },
  cancelled: async (store, job) => {
    const message = `batch ${job.batch} was cancelled: its results are not written`;
    await recordFailure(store, job, { code: 'cancelled', message });
    return {};
  },
};

/** Throws if the batch has expired: its results are gone. */
export async function deliver(store: Store, job: DeliveryJob): Promise<DeliveryStep> {
  const status = await store.batches.status(job.batch);
  return STEPS[stateOf(status)](store, job, status);
}

export async function recordFailure(
  store: Store,
  job: DeliveryJob,
  failure: NonNullable<Delivery['failure']>,
): Promise<void> {
  await store.schedules.recordDelivery(job.schedule, job.batch, { at: now(), failure });
}

async function writeResults(store: Store, job: DeliveryJob, manifest: Manifest): Promise<void> {
  const { output, detail = 'full' } = job;
  const work = await conversionOf(store, manifest, outputFormat(output), detail);
  const parts = followResults(store, job.batch);
  await writing(mkdir(dirname(output), { recursive: true }));
  const partial = join(dirname(output), `.${basename(output)}.${randomBytes(4).toString('hex')}`);
  try {
    const sink = await writing(openSink(partial));
    try {
      for await (const bytes of work ? tableInThread(work, parts) : bytesOf(parts)) await writing(sink.write(bytes));
    } finally {
      await writing(sink.close());
    }
    await writing(rename(partial, output));
  } finally {
    await rm(partial, { force: true });
  }
}

/** The file cannot be written at present. */
class OutputFault extends Error {}

function writing<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: Error) => {
    throw new OutputFault(`the results are not written yet: ${error.message}`);
  });
}

/** The failure to record. Errors that do not come from the output are thrown. */
function outputFault(error: unknown): NonNullable<Delivery['failure']> {
  if (error instanceof OutputFault) return { code: 'interrupted', message: error.message };
  throw error;
}

function describeFailed({ manifest, chunks, failed }: BatchStatus): string {
  return `${failed} of ${formatCount(chunks, 'chunk')} of batch ${manifest.id} failed; its results are written once all are done`;
}

const now = (): string => new Date().toISOString();
