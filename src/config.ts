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
    onceTtlSeconds: z.int().min(0),
    memoryShare: z.number().gt(0).max(1),
    maxQueuedBytes: z.int().min(0),
  }),
});

export type Config = z.output<typeof schema>;

const FILE = new URL('../config/default.json', import.meta.url);

export const config: Config = parseDocument(schema, JSON.parse(readFileSync(FILE, 'utf8')), 'config');
