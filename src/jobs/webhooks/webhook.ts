/**
 * Webhooks: a request to the address that a batch names, when the batch has ended. The end is put into a queue, and the worker of the queue
 * sends the request (webhook-lane.ts). The address is untrusted: only hosts of the operator's settings are asked.
 */
import { z } from 'zod';
import { type Config, config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import { ScorerFault } from '../../scoring/scorer-fault.js';
import { checkAddress } from '../../scoring/transport/address-guard.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import { batchIdSchema, generationOf } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import { openQueue, type TextQueue } from '../text-jobs.js';
import { keyOf } from './signature.js';
import { endStateSchema, type WebhookDocument } from './webhook-document.js';

export const WEBHOOK_QUEUE = 'elsewise-webhooks';

export type WebhookSettings = Config['webhooks'];

export type EndState = z.output<typeof endStateSchema>;

export const webhookJobSchema = z.strictObject({
  batch: batchIdSchema,
  generation: z.string(),
  state: endStateSchema,
});

export type WebhookJob = z.output<typeof webhookJobSchema>;

/** The first pause between two attempts. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 2_000;

/** Refuses an address that the settings do not permit, before any row is queued. */
export function checkWebhook(address: string, settings: WebhookSettings = config.webhooks): void {
  keyOf(settings.secret);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.hash)
    throw new ElsewiseError('usage', 'expected https://host/path, without a user and without #', 'webhook');
  try {
    checkAddress(url, { ...settings, section: 'webhooks' });
  } catch (error) {
    if (!(error instanceof ScorerFault)) throw error;
    throw new ElsewiseError('usage', error.message, 'webhook');
  }
}

/** Puts the end of a batch into the queue. A repeated call adds no second job while the first is under way. */
export async function announceEnd(store: Store, job: WebhookJob): Promise<void> {
  const queue = openWebhookQueue(store);
  try {
    const { attempts } = config.webhooks;
    const backoff = { type: 'exponential', delay: FIRST_PAUSE_MS };
    const jobId = `webhook-${job.batch}-${job.state}@${job.generation}`;
    await queue.add('webhook', JSON.stringify(job), { jobId, attempts, backoff });
  } finally {
    await queue.close();
  }
}

/** The store keeps the outcome: failed jobs do not stay. */
export function openWebhookQueue({ redis, settings }: Store): TextQueue {
  return openQueue(WEBHOOK_QUEUE, redis, settings.queuePrefix, { failedKept: 0 });
}

export function webhookBody(
  state: EndState,
  { manifest, rows, answered, counts, chunks, done, failed }: BatchStatus,
): string {
  const { id, model, policy, created, by } = manifest;
  const results = `/v1/batches/${id}/results`;
  const document: WebhookDocument = {
    schema: 'elsewise.webhook/v1',
    type: `batch.${state}`,
    batch: {
      ...{ id, state, created, by },
      model: { name: model.name, version: model.version, digest: model.digest },
      policy: { name: policy.document.name, digest: policy.digest },
      ...{ rows, answered, counts, chunks, chunksDone: done, chunksFailed: failed, results },
    },
  };
  return JSON.stringify(document);
}

/** The same for every attempt: a receiver recognises a repetition. */
export function webhookId({ batch, generation, state }: WebhookJob): string {
  return `${batch}@${generation}-${state}`;
}

export const isOf = ({ generation }: WebhookJob, { manifest }: BatchStatus): boolean =>
  generation === generationOf(manifest);
