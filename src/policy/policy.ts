/** Policy document -> policy, and the overrides of a command line or a job. */
import { digestOf } from '../documents/digest.js';
import { parseDocument } from '../documents/parse.js';
import { type PolicyDocument, policySchema } from '../documents/policy-document.js';
import { ownFaults } from './own-faults.js';

export interface Policy {
  readonly document: PolicyDocument;
  readonly name: string;
  readonly digest: string;
}

/** `path`: the position of the document, for error messages. */
export function loadPolicy(document: unknown, path = 'policy'): Policy {
  const parsed = parseDocument(policySchema, document, path, ownFaults);
  return { document: parsed, name: parsed.name, digest: digestOf(parsed) };
}

/** The policy for a caller without one: any feature may change, and every unit costs the same. */
export function defaultPolicy(): Policy {
  return loadPolicy({ schema: 'elsewise.policy/v1', name: 'default' });
}
