/**
 * The signature of a webhook, as "Standard Webhooks" has it (standardwebhooks.com), so that its libraries check ours:
 *
 *   webhook-signature = "v1," + base64(HMAC-SHA256(secret, id + "." + timestamp + "." + body))
 *
 * The secret is written `whsec_` and base64. The timestamp is signed with the body: a receiver refuses messages that were recorded and sent
 * again later.
 */
import { createHmac } from 'node:crypto';
import { ElsewiseError } from '../../documents/error.js';

const SECRET = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/;

export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

export function signatureHeaders(secret: string, { id, timestamp, body }: SignedMessage): Record<string, string> {
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${hmac.digest('base64')}`,
  };
}

/** The bytes of the key: at least 24. */
export function keyOf(secret: string): Buffer {
  const [, text] = SECRET.exec(secret) ?? [];
  if (text) return Buffer.from(text, 'base64');
  const rule = 'whsec_ and at least 24 random bytes as base64, as from: echo whsec_$(openssl rand -base64 32)';
  throw new ElsewiseError('usage', `the setting webhooks.secret is not set, or is not ${rule}`, 'webhook');
}
