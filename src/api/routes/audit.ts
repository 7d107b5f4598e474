/** `/v1/audit`: the record of answers, a page at a time. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { exportedLines } from '../../store/audit/audit-entry.js';
import type { AuditStore } from '../../store/audit/audit-store.js';
import { type AuditRange, auditEntries } from '../../store/audit/read-chain.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';

const MOST_ENTRIES = 1_000;
const DEFAULT_ENTRIES = 100;

export const listAudit = defineRoute({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  summary: 'The record of answers in the order of the chain, a page at a time',
  access: 'audit',
  query: z.strictObject({
    from: z.iso.date().optional().describe('the first day'),
    to: z.iso.date().optional().describe('the last day'),
    after: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe('only entries behind this number: `number` of the last line of the page before'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MOST_ENTRIES)
      .optional()
      .describe(`the most entries of a page, ${DEFAULT_ENTRIES} unless given; a chunk of a batch is one entry`),
  }),
  responses: {
    200: {
      description: 'a line for each answer; no line: the end of the chain',
      type: 'application/x-ndjson',
      schema: SCHEMAS.audit,
    },
  },
  async answer({ query: { limit = DEFAULT_ENTRIES, ...range }, service }) {
    const body = Readable.from(linesOf(service.store.audit, range, limit), { objectMode: false });
    return { status: 200, body, type: 'application/x-ndjson' };
  },
});

async function* linesOf(audit: AuditStore, range: AuditRange, limit: number): AsyncGenerator<Buffer> {
  let left = limit;
  for await (const entry of auditEntries(audit, range)) {
    yield Buffer.from([...exportedLines(entry), ''].join('\n'));
    if (--left === 0) return;
  }
}
