/** Chains of the record without workers. */
import { SOFTWARE } from '../../dist/jobs/audit/software.js';
import { exportedLines } from '../../dist/store/audit/audit-entry.js';
import { AuditRecords } from '../../dist/store/audit/audit-record.js';
import type { AuditDraft } from '../../dist/store/audit/audit-store.js';
import { auditEntries } from '../../dist/store/audit/read-chain.js';
import type { World } from './queue-world.js';

export const DAY_MS = 86_400_000;

export async function exportedOf(of: World): Promise<string[]> {
  const lines: string[] = [];
  for await (const entry of auditEntries(of.store.audit, {})) lines.push(...exportedLines(entry));
  return lines;
}

export async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** A chain of some entries with a few answers each. */
export async function chainIn(of: World, entries: number, from = 0): Promise<void> {
  for (let k = from; k < from + entries; k++) await of.store.audit.append(draft(`job-${k}`), blockOf(3, k));
}

/** Entries on several days: the last day is today. */
export async function chainOfDays(of: World, days: number, entries: number): Promise<void> {
  const now = Date.now;
  try {
    for (let day = days - 1; day >= 0; day--) {
      Date.now = () => now() - day * DAY_MS;
      await chainIn(of, entries, 10 * day);
    }
  } finally {
    Date.now = now;
  }
}

export function draft(job: string): AuditDraft {
  const digest = `sha256:${'0'.repeat(64)}`;
  return {
    ...{ software: SOFTWARE, source: 'event', job, by: null, threshold: 0.5, seed: 7 },
    model: { name: 'credit', version: 1, digest },
    policy: { name: 'plain', digest },
    limits: { deadlineMs: 100, effort: null },
  };
}

export function blockOf(answers: number, entry: number) {
  const records = new AuditRecords();
  for (let k = 0; k < answers; k++)
    records.add({
      ...{ schema: 'elsewise.result/v1', id: `${entry}-${k}`, status: 'already', target: 'yes', seed: 7, elapsedMs: 0 },
      model: { name: 'credit', version: 1, digest: '' },
      policy: { name: 'plain', digest: '' },
      factual: { features: { age: 20 + k }, prediction: 'yes', score: 0.5 + k / 100 },
      ...{ counterfactuals: [], attempts: [], degraded: false },
    });
  return records.finish();
}
