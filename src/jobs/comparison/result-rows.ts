/**
 * Rows for another policy or model from results: the values that a result repeats. A target that comes from the policy of the results is left
 * out, so that the target of the other policy counts. A target of the row itself stays.
 */
import type { TargetDocument } from '../../documents/policy-document.js';
import type { PersonResult, PersonResultReader } from '../../report/summary/person-result.js';
import { asBuffer } from '../../store/codec/byte-streams.js';

/** A line of NDJSON. `policyTargets`: the targets that the policy of the result names. */
export function rowLine({ id, factual, target }: PersonResult, policyTargets: readonly TargetDocument[]): string {
  const isNamed = policyTargets.some((named) => JSON.stringify(named) === JSON.stringify(target));
  const isOwn = target !== undefined && target !== null && !isNamed;
  return `${JSON.stringify({ id, features: factual?.features ?? {}, ...(isOwn && { target }) })}\n`;
}

/** The people of whole lines. */
export function* readPeople(reader: PersonResultReader, bytes: Uint8Array): Generator<PersonResult> {
  for (const line of asBuffer(bytes).toString().split('\n')) {
    const person = line.trim() === '' ? undefined : reader.read(line);
    if (person) yield person;
  }
}
