/** Policy document -> policy, and the overrides of a command line or a job. */
import { digestOf } from '../documents/digest.js';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';
import { type PolicyDocument, policySchema } from '../documents/policy-document.js';
import { overlayFaults } from './overlay.js';

export interface Policy {
  readonly document: PolicyDocument;
  readonly name: string;
  readonly digest: string;
}

/** `path`: the position of the document, for error messages. */
export function loadPolicy(document: unknown, path = 'policy'): Policy {
  const parsed = parseDocument(policySchema, document, path);
  const [wide, ...others] = overlayFaults(parsed, path);
  if (wide) throw new ElsewiseError('bad-document', wide.message, wide.path, others.length ? [wide, ...others] : []);
  return { document: parsed, name: parsed.name, digest: digestOf(parsed) };
}

/** The policy for a caller without one: any feature may change, and every unit costs the same. */
export function defaultPolicy(): Policy {
  return loadPolicy({ schema: 'elsewise.policy/v1', name: 'default' });
}
