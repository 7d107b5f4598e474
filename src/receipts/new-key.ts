/** New keys, and their rotation: a new key signs from now on. The private parts of earlier keys are dropped, and their receipts still verify. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { ALGORITHM, publicPart, type ReceiptKey } from './key-set.js';

/** The name of the key follows from its content (RFC 7638). */
export async function createKey(): Promise<ReceiptKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const { x, d } = await exportJWK(privateKey);
  const key = { kty: 'OKP', crv: 'Ed25519', x: x!, d: d! } as const;
  return { ...key, kid: await calculateJwkThumbprint(key), alg: ALGORITHM, use: 'sig' };
}

/** The new key stands first. */
export async function rotateKeys(earlier: readonly ReceiptKey[]): Promise<ReceiptKey[]> {
  return [await createKey(), ...earlier.map(publicPart)];
}
