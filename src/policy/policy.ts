/** Policy document -> policy, and the overrides that a command line or a job may put on top of it. */
import { digestOf } from '../documents/digest.js';
import { parseDocument } from '../documents/parse.js';
import { type PolicyDocument, policySchema } from '../documents/policy-document.js';

export interface Policy {
  readonly document: PolicyDocument;
  readonly name: string;
  readonly digest: string;
}

/** `path`: where the document stands, for what is wrong with it. */
export function loadPolicy(document: unknown, path = 'policy'): Policy {
  const parsed = parseDocument(policySchema, document, path);
  return { document: parsed, name: parsed.name, digest: digestOf(parsed) };
}

/** The policy of someone who brings none: anything may change, every unit costs the same. */
export function defaultPolicy(): Policy {
  return loadPolicy({ schema: 'elsewise.policy/v1', name: 'default' });
}
