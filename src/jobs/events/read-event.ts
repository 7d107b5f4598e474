/**
 * Bytes or text -> an event, as far as possible without the store. The result is text again: an event may have a megabyte, a thread may
 * read the event, and both the queue and the solver threads need text.
 */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { ENOUGH_FAULTS } from '../../documents/collections.js';
import { canonicalJson } from '../../documents/digest.js';
import { ElsewiseError } from '../../documents/error.js';
import { faultsOfCheck, refusalOf } from '../../documents/faults/refusal.js';
import { isNested, ofRequest } from '../../documents/nesting.js';
import { parseDocument } from '../../documents/parse.js';
import type { OverlayDocument } from '../../documents/policy-document.js';
import { parseStored, parseUntrusted } from '../../documents/untrusted-json.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import { type CanonicalRow, eventJobSchema, explanationRequestSchema, requestSchema } from '../contract.js';
import type { EventPolicies, EventPolicy } from './event-policies.js';

/** The source of an event: the body of an HTTP request, a job of the queue, an entry of the stream, or a caller in this process. */
export type EventForm = 'body' | 'job' | 'request' | 'event';

export interface ReadEvent extends CanonicalRow {
  /** Only callers over HTTP may omit the id. */
  readonly id: string | undefined;
  readonly model: string | ModelPin;
  /** A reference into the registry, or a policy document. Undefined: any feature may change. */
  readonly policy: string | EventPolicy | undefined;
  /** Wishes on top of a policy of the registry. Wishes on top of a document are part of that document. */
  readonly overlay?: OverlayDocument;
  /** The name of the asker. */
  readonly by?: string;
}

/** The policy is checked separately, because it is mostly cached. */
const anyPolicy = { policy: z.unknown().optional() };
const SCHEMAS = {
  body: explanationRequestSchema.extend(anyPolicy),
  job: eventJobSchema.extend(anyPolicy),
  event: eventJobSchema.extend(anyPolicy),
  request: requestSchema.extend(anyPolicy),
} as const satisfies Record<EventForm, z.ZodType>;

/** The path of the policy, in errors. */
const POLICY_PATHS: Readonly<Record<EventForm, string>> = {
  body: 'body.policy',
  event: 'event.policy',
  job: 'policy',
  request: 'policy',
};

export function readEvent(value: unknown, form: EventForm, policies: EventPolicies): ReadEvent {
  const { id, model, policy, overlay, features, target, by } = parseFields(value, form, policies);
  return {
    ...{ id, model, ...readPolicy(policy, overlay, POLICY_PATHS[form], policies), ...(by !== undefined && { by }) },
    features: canonicalJson(features),
    target: target === undefined ? undefined : canonicalJson(target),
  };
}

/** Only bodies have wishes, and only other forms name the asker. */
type Fields = z.output<typeof SCHEMAS.body> & Pick<z.output<typeof SCHEMAS.event>, 'by'>;

function parseFields(value: unknown, form: EventForm, policies: EventPolicies): Fields {
  try {
    return parseDocument(SCHEMAS[form] as typeof SCHEMAS.body, value, form) as Fields;
  } catch (error) {
    const whole = withPolicyFaults(error, value, form, policies);
    throw form === 'body' ? ofRequest(whole) : whole;
  }
}

/** A faulty field does not hide the faults of the policy document. */
function withPolicyFaults(error: unknown, value: unknown, form: EventForm, policies: EventPolicies): unknown {
  const { policy } = Object(value) as { policy?: unknown };
  if (!(error instanceof ElsewiseError) || !error.faults.length || !isNested(policy)) return error;
  const others = faultsOfCheck(() => policies.read(policy, POLICY_PATHS[form]));
  return others.length ? refusalOf([...error.faults, ...others].slice(0, ENOUGH_FAULTS), error.code) : error;
}

function readPolicy(
  given: unknown,
  overlay: OverlayDocument | undefined,
  path: string,
  policies: EventPolicies,
): Pick<ReadEvent, 'policy' | 'overlay'> {
  if (given === '') throw new ElsewiseError('bad-document', 'expected a policy or a reference to one', path);
  if (typeof given === 'string') return { policy: given, overlay };
  if (overlay !== undefined) return { policy: policies.overlaid(given, overlay, path) };
  return { policy: given === undefined ? undefined : policies.read(given, path) };
}

/** The error names the position of a fault and does not quote the content. */
export function parseEvent(source: string | Uint8Array, form: EventForm): unknown {
  if (form === 'body') return parseUntrusted(typeof source === 'string' ? Buffer.from(source) : source);
  const what = form === 'request' ? 'body' : form;
  if (typeof source === 'string') return parseStored(source, what);
  if (!isUtf8(source)) throw new ElsewiseError('bad-json', `the ${what} is not valid UTF-8`);
  return parseStored(asBuffer(source).toString(), what);
}
