/** The chain of the record as a whole: its days, the check of its digests, and an export as a file. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { AuditStore } from '../../store/audit/audit-store.js';
import type { ChainVerdict } from '../../store/audit/chain-links.js';
import { auditEntries } from '../../store/audit/read-chain.js';
import { type ChainSpan, verifySteps } from '../../store/audit/verify-chain.js';
import { digestSchema } from '../../store/batches/manifest.js';
import { defineRoute } from '../route.js';
import { type AuditCheck, SCHEMAS } from '../schemas.js';
import { takeSlots } from '../wait-slots.js';
import { bytesOf, SPAN } from './audit.js';

const NDJSON = 'application/x-ndjson';
/** Lines of progress have this distance. */
const PROGRESS_MS = 100;

const listDays = defineRoute({
  id: 'listAuditDays',
  method: 'GET',
  path: '/v1/audit/days',
  summary: 'The days of the record, each with its entries and its last digest',
  access: 'audit',
  responses: { 200: { description: 'all days, in order', schema: SCHEMAS.auditDays } },
  async answer({ service: { store } }) {
    const days = (await store.audit.days()).map(({ day, entries, records, digest, isStored, dropped }) => ({
      ...{ day, entries, records, digest, isStored },
      ...(dropped && { dropped: dropped.at }),
    }));
    return { status: 200, body: { schema: 'elsewise.audit-days/v1', days } };
  },
});

const checkChain = defineRoute({
  id: 'checkAudit',
  method: 'GET',
  path: '/v1/audit/check',
  summary: 'Check every digest and every link of the record between two days; lines tell the progress',
  access: 'audit',
  query: z.strictObject({
    ...SPAN,
    head: digestSchema.optional().describe('a digest of an entry that was noted before: the chain must have it'),
  }),
  responses: {
    200: { description: 'the last line has the verdict', type: NDJSON, schema: SCHEMAS.auditCheck },
    429: { description: 'too many checks and conversions run already', schema: SCHEMAS.problem },
  },
  async answer({ query: { head, ...span }, service: { store, tableSlots } }) {
    const leave = takeSlots(tableSlots);
    const body = Readable.from(checkLines(store.audit, span, head), { objectMode: false }).once('close', leave);
    return { status: 200, body, type: NDJSON };
  },
});

async function* checkLines(audit: AuditStore, span: ChainSpan, noted?: string): AsyncGenerator<Buffer> {
  const of = await entriesOf(audit, span);
  const steps = verifySteps(audit, span, noted);
  for (let told = Number.NEGATIVE_INFINITY; ; ) {
    const { done, value } = await steps.next();
    if (done) return yield lineOf({ ...verdictOf(value, noted), of });
    await nextTurn(); // an entry of many records takes milliseconds: other requests come in between
    if (performance.now() - told < PROGRESS_MS) continue;
    told = performance.now();
    yield lineOf({ state: 'checking', ...value, of });
  }
}

const lineOf = (line: Omit<AuditCheck, 'schema'>): Buffer =>
  Buffer.from(`${JSON.stringify({ schema: 'elsewise.audit-check/v1', ...line })}\n`);

async function entriesOf(audit: AuditStore, { from = '', to = '9999-12-31' }: ChainSpan): Promise<number> {
  const days = (await audit.state()).days.filter(({ day, isStored }) => isStored && day >= from && day <= to);
  return days.reduce((sum, { entries }) => sum + entries, 0);
}

function verdictOf(verdict: ChainVerdict, noted?: string): Omit<AuditCheck, 'schema' | 'of'> {
  const { entries, records, redacted, head, dropped, hasNoted } = verdict;
  const fault = verdict.fault ?? (hasNoted ? undefined : `no entry has the digest ${noted}`);
  return {
    state: fault === undefined ? 'holds' : 'broken',
    entries,
    records,
    redacted,
    head,
    dropped,
    ...(fault !== undefined && { fault }),
  };
}

const exportAudit = defineRoute({
  id: 'exportAudit',
  method: 'GET',
  path: '/v1/audit/export',
  summary: 'The record between two days as a file',
  access: 'audit',
  isPage: true,
  query: z.strictObject({ ...SPAN }),
  responses: {
    200: {
      description: 'a line for each answer, in the order of the chain',
      type: NDJSON,
      schema: SCHEMAS.audit,
      headers: { 'content-disposition': 'a name for the file' },
    },
  },
  async answer({ query, service: { store } }) {
    const name = ['audit', query.from, query.to].filter(Boolean).join('-');
    return {
      status: 200,
      type: NDJSON,
      headers: { 'content-disposition': `attachment; filename="${name}.ndjson"` },
      body: Readable.from(allLines(store.audit, query), { objectMode: false }),
    };
  },
});

async function* allLines(audit: AuditStore, span: ChainSpan): AsyncGenerator<Buffer> {
  for await (const entry of auditEntries(audit, span)) yield bytesOf(entry);
}

export const auditChainRoutes = [listDays, checkChain, exportAudit] as const;
