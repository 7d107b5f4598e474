/**
 * Sets of keys for receipts: JSON Web Key Sets (RFC 7517) of Ed25519 keys (RFC 8037). The first key signs and has its private part. Every
 * other key only verifies. A key is found by its `kid`, and two keys with one `kid` are refused: a receipt would then name both. Messages
 * never quote a key.
 */
import { CompactSign, type CryptoKey, compactVerify, importJWK } from 'jose';
import { z } from 'zod';
import { listOf } from '../documents/collections.js';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';

export const ALGORITHM = 'EdDSA';

const keyBytes = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected 32 bytes as base64url');

/** Further members, such as `key_ops`, are left out. */
const keySchema = z.object({
  kty: z.literal('OKP', { error: 'expected OKP: receipts are signed with Ed25519 keys' }),
  crv: z.literal('Ed25519', { error: 'expected Ed25519' }),
  kid: z.string().min(1).max(200),
  x: keyBytes,
  d: keyBytes.optional(),
  alg: z.literal(ALGORITHM, { error: `expected ${ALGORITHM}` }).optional(),
  use: z.literal('sig', { error: 'expected sig' }).optional(),
});

const keySetSchema = z.object({ keys: listOf(keySchema) });

export type ReceiptKey = z.output<typeof keySchema>;
export type PublicKey = Omit<ReceiptKey, 'd'>;

export interface Signer {
  readonly kid: string;
  readonly key: CryptoKey;
}

export interface KeySet {
  /** The first key, if it has its private part. */
  readonly signer: Signer | undefined;
  readonly verifiers: ReadonlyMap<string, CryptoKey>;
  readonly publicKeys: readonly PublicKey[];
}

/** `root`: the name of the file, for messages. */
export function parseKeys(text: string, root: string): ReceiptKey[] {
  const { keys } = parseDocument(keySetSchema, jsonOf(text, root), root);
  const twin = keys.findIndex(({ kid }, k) => keys.findIndex((other) => other.kid === kid) !== k);
  if (twin >= 0) throw new ElsewiseError('bad-document', 'another key has the same kid', `${root}.keys[${twin}].kid`);
  return keys;
}

/** The message of a parser may quote the text. */
function jsonOf(text: string, root: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ElsewiseError('bad-document', 'expected a JSON Web Key Set: {"keys": [...]}', root);
  }
}

export async function openKeys(text: string, root: string): Promise<KeySet> {
  const keys = parseKeys(text, root);
  const opened = await Promise.all(keys.map((key, k) => openPublic(key, `${root}.keys[${k}]`)));
  const verifiers = new Map(keys.map(({ kid }, k) => [kid, opened[k]]));
  const signer = keys[0]?.d === undefined ? undefined : await openSigner(keys[0], opened[0], `${root}.keys[0]`);
  return { signer, verifiers, publicKeys: keys.map(publicPart) };
}

export function publicPart({ d: _, ...key }: ReceiptKey): PublicKey {
  return { ...key, alg: ALGORITHM, use: 'sig' };
}

const openPublic = (key: ReceiptKey, path: string): Promise<CryptoKey> => open(publicPart(key), path);

async function open(key: PublicKey | ReceiptKey, path: string): Promise<CryptoKey> {
  try {
    return (await importJWK({ ...key }, ALGORITHM)) as CryptoKey;
  } catch {
    throw new ElsewiseError('bad-document', 'is no valid Ed25519 key', path);
  }
}

/** The private part has to fit the public part: otherwise no receipt would verify. */
async function openSigner(key: ReceiptKey, verifier: CryptoKey, path: string): Promise<Signer> {
  const opened = await open(key, path);
  try {
    const probe = await new CompactSign(new Uint8Array(1)).setProtectedHeader({ alg: ALGORITHM }).sign(opened);
    await compactVerify(probe, verifier, { algorithms: [ALGORITHM] });
  } catch {
    throw new ElsewiseError('bad-document', 'the private part does not fit the public part', path);
  }
  return { kid: key.kid, key: opened };
}
