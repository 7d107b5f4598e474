/**
 * Policies of events, read once. Checking and digesting a policy takes longer than the rest of an event (for the credit example 80 us
 * against 20), and most events use one of a few policies. The text identifies a policy, because an object parsed from JSON has no identity.
 */
import { LRUCache } from 'lru-cache';
import { ElsewiseError } from '../../documents/error.js';
import type { OverlayDocument } from '../../documents/policy-document.js';
import { defaultPolicy, loadPolicy, type Policy } from '../../policy/policy.js';
import { namesTarget } from '../../policy/target.js';

/** A checked policy of an event. It is text, so that it is cheap to send between threads and to a queue. */
export interface EventPolicy {
  readonly digest: string;
  readonly deadlineMs: number;
  readonly namesTarget: boolean;
  /** The document as JSON, with its defaults. */
  readonly text: string;
}

const MAX_POLICIES = 64;
/** A longer text is read each time: as a key it would cost more memory than it saves time. */
const MAX_TEXT = 64_000;

export function asEventPolicy({ document, digest }: Policy): EventPolicy {
  const { deadlineMs } = document;
  return { digest, deadlineMs, namesTarget: namesTarget(document), text: JSON.stringify(document) };
}

export class EventPolicies {
  readonly #default = defaultPolicy();
  readonly #read = new LRUCache<string, EventPolicy>({ max: MAX_POLICIES });
  readonly #opened = new LRUCache<string, Policy>({ max: MAX_POLICIES });

  /** `path`: the path of the document, for errors. */
  read(document: unknown, path: string): EventPolicy {
    const text = JSON.stringify(document) ?? '';
    const policy = this.#read.get(text) ?? asEventPolicy(loadPolicy(document, path));
    if (text.length <= MAX_TEXT) this.#read.set(text, policy);
    return policy;
  }

  /** A policy with wishes on top. Undefined: any feature may change. Wishes of the document itself are part of the policy. */
  overlaid(document: unknown, overlay: OverlayDocument, path: string): EventPolicy {
    const given = document ?? this.#default.document;
    if (typeof given === 'object' && 'overlay' in given)
      throw new ElsewiseError('bad-document', 'the policy has wishes of its own: send one of both', `${path}.overlay`);
    try {
      return this.read(typeof given === 'object' ? { ...given, overlay } : given, path);
    } catch (error) {
      throw besidePolicy(error, path);
    }
  }

  /** The policy for solving rows. Undefined: any feature may change. */
  open(policy: EventPolicy | undefined): Policy {
    if (policy === undefined) return this.#default;
    const { digest, text } = policy;
    const opened = this.#opened.get(digest) ?? openText(digest, text);
    if (text.length <= MAX_TEXT) this.#opened.set(digest, opened);
    return opened;
  }
}

/** The sender gave the wishes beside the policy, not in it: `body.overlay` in place of `body.policy.overlay`. */
function besidePolicy(error: unknown, path: string): unknown {
  if (!(error instanceof ElsewiseError)) return error;
  const beside = (place: string) => place.replace(`${path}.overlay`, path.replace(/policy$/, 'overlay'));
  const faults = error.faults.map((fault) => ({ ...fault, path: beside(fault.path) }));
  return new ElsewiseError(error.code, error.detail, beside(error.path), faults);
}

/** The policy was checked when it was read. */
function openText(digest: string, text: string): Policy {
  const document = JSON.parse(text) as Policy['document'];
  return { document, name: document.name, digest };
}
