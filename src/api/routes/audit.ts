/** `/v1/audit`: the record of answers, a page at a time. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type AuditEntry, exportedLines } from '../../store/audit/audit-entry.js';
import type { AuditStore } from '../../store/audit/audit-store.js';
import { type AuditRange, auditEntries, linesOf } from '../../store/audit/read-chain.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';

const MOST_ENTRIES = 1_000;
const DEFAULT_ENTRIES = 100;
const MOST_ID = 200;

/** The days of a request. */
export const SPAN = {
  from: z.iso.date().optional().describe('the first day'),
  to: z.iso.date().optional().describe('the last day'),
};

export const listAudit = defineRoute({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  summary: 'The record of answers in the order of the chain, a page at a time',
  access: 'audit',
  query: z.strictObject({
    ...SPAN,
    id: z.string().min(1).max(MOST_ID).optional().describe('only the records of the row with this id'),
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
      .describe(
        `the most entries of a page, ${DEFAULT_ENTRIES} unless given; a chunk of a batch is one entry. With an id: the most records`,
      ),
  }),
  responses: {
    200: {
      description: 'a line for each answer; no line: the end of the chain',
      type: 'application/x-ndjson',
      schema: SCHEMAS.audit,
    },
  },
  async answer({ query: { limit = DEFAULT_ENTRIES, id, ...range }, service: { store } }) {
    const lines = id === undefined ? pageOf(store.audit, range, limit) : ofRow(store.audit, id, range, limit);
    const body = Readable.from(lines, { objectMode: false });
    return { status: 200, body, type: 'application/x-ndjson' };
  },
});

async function* pageOf(audit: AuditStore, range: AuditRange, limit: number): AsyncGenerator<Buffer> {
  let left = limit;
  for await (const entry of auditEntries(audit, range)) {
    yield bytesOf(entry);
    if (--left === 0) return;
  }
}

async function* ofRow(audit: AuditStore, id: string, range: AuditRange, limit: number): AsyncGenerator<Buffer> {
  let left = limit;
  for await (const line of linesOf(audit, id, range)) {
    yield Buffer.from(`${line}\n`);
    if (--left === 0) return;
  }
}

/** The answers of an entry as whole lines. */
export const bytesOf = (entry: AuditEntry): Buffer => Buffer.from([...exportedLines(entry), ''].join('\n'));
