/** The defaults, as data: config/default.json, read and checked once. Environment variables and options go on top of it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseDocument } from './documents/parse.js';

const count = z.int().min(1);

const schema = z.strictObject({
  store: z.strictObject({
    url: z.string().min(1),
    keyPrefix: z.string().min(1),
    queuePrefix: z.string().min(1),
    batchTtlSeconds: count,
    answerTtlSeconds: count,
    answerStreamLength: count,
  }),
  worker: z.strictObject({
    /** Solver threads kept free for single rows. */
    eventThreads: count,
    /** How much batches give way to them, as `nice` does. */
    bulkNice: z.int().min(0).max(19),
  }),
  requests: z.strictObject({
    /** Entries of the stream that one worker answers at a time. */
    concurrency: count,
    /** A longer body is not even parsed. */
    maxBodyBytes: count,
    /** An entry that nobody has answered for so long is taken over from the worker that took it. */
    claimAfterMs: count,
    /** An entry that was taken so often and never answered is given up. */
    maxDeliveries: count,
    /** A consumer that has nothing pending and has not asked for so long is gone. */
    forgetConsumerAfterMs: count,
  }),
  deadLetters: z.strictObject({
    maxCount: count,
    maxAgeSeconds: count,
    /** Of a body; what is longer is cut and cannot be replayed. */
    maxBodyBytes: count,
  }),
});

export type Config = z.output<typeof schema>;

const FILE = new URL('../config/default.json', import.meta.url);

export const config: Config = parseDocument(schema, JSON.parse(readFileSync(FILE, 'utf8')), 'config');
