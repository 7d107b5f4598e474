/**
 * A stored answer to an event, checked before the operator signs it: whoever writes to Redis could have changed the answer.
 *
 *   record   the answer has the keys of a record of its id, as long as the record remembers the jobs of the id
 *   check    the row is solved again: the answer holds by model and policy, and claims nothing that is not proved
 *
 * A check needs the model and the policy in the registry, or the policy beside the record. An answer of a model that is scored elsewhere is
 * compared with its record only.
 */
import type { AuditLine, RecordedAnswer } from '../../documents/audit-document.js';
import type { ResultDocument } from '../../documents/result-document.js';
import type { Policy } from '../../policy/policy.js';
import { exportedLines, readEntry } from '../../store/audit/audit-entry.js';
import { recordOf } from '../../store/audit/audit-record.js';
import type { Store } from '../../store/store.js';
import { eventJobId } from '../contract.js';
import type { Finding } from '../verify/comparison.js';
import { type Difference, differencesOf } from '../verify/differences.js';
import { auditedPolicy, registeredModel, registeredPolicy } from './find-policy.js';
import type { ReplayDesk } from './replay.js';

const MOST_DIFFERENCES = 5;
/** Keys that no search decides. */
const OF_ROW = /^(schema|id|model|policy|defaults|target|factual|decision|seed)\b/;

/** Faults in words. Empty: nothing speaks against the answer. */
export async function answerFaults(
  store: Store,
  replays: Pick<ReplayDesk, 'compare'>,
  result: ResultDocument,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const records = await recordsOfEvent(store, result);
  const faults = recordFaults(records, result);
  if (faults.length) return faults;
  const pin = await registeredModel(store, result.model);
  const policy = pin && (await policyOf(store, result, records));
  const finding = policy && (await replays.compare(result, pin, policy, signal));
  return finding ? findingFaults(finding) : [];
}

/** The records of the id under the same model and policy. */
async function recordsOfEvent({ audit }: Store, { id, model, policy }: ResultDocument): Promise<RecordedAnswer[]> {
  const ending = eventJobId('', id).slice('event-'.length);
  const found: RecordedAnswer[] = [];
  for await (const bytes of audit.entriesOfJobs(`event-*${ending}`)) {
    const lines = [...exportedLines(readEntry(bytes))].map((line) => JSON.parse(line) as AuditLine);
    for (const line of lines) {
      const isMeant = 'record' in line && line.record?.id === id;
      if (isMeant && line.model.digest === model.digest && line.policy.digest === policy.digest)
        found.push(line as RecordedAnswer);
    }
  }
  return found;
}

function recordFaults(records: readonly RecordedAnswer[], result: ResultDocument): string[] {
  const answer = recordOf(result);
  const differences = records.map(({ record }) => differencesOf(record, answer, MOST_DIFFERENCES));
  if (records.length === 0 || differences.some(({ length }) => length === 0)) return [];
  return differences.at(-1)!.map((difference) => told(difference, 'the record has'));
}

const told = ({ path, before, after }: Difference, words: string): string =>
  `${path}: ${words} ${before ?? 'nothing'}, and the stored answer ${after ?? 'nothing'}`;

/** A policy that no registry has is beside the record, or the policy of a row that names none. */
async function policyOf(
  store: Store,
  { policy }: ResultDocument,
  [record]: readonly RecordedAnswer[],
): Promise<Policy | undefined> {
  const standard = await store.policies.accept(undefined);
  if (standard.digest === policy.digest) return standard;
  return (await registeredPolicy(store, policy)) ?? (record && auditedPolicy(store, record));
}

/** Another answer than the new one may hold as well. */
function findingFaults({ differences, faults }: Finding): string[] {
  const ofRow = differences.filter(({ path }) => OF_ROW.test(path));
  return [
    ...faults,
    ...ofRow.map(({ path, before, after }) => told({ path, before: after, after: before }, 'solving again gives')),
  ];
}
