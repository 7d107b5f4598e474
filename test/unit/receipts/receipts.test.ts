/** Receipts under attack: nothing but a text of a known key, unchanged and in its time, is valid. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompactSign, exportJWK, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { checkReceipt } from '../../../src/receipts/check-receipt.js';
import { KeyFile, writeKeyFile } from '../../../src/receipts/key-file.js';
import { type KeySet, openKeys, type ReceiptKey } from '../../../src/receipts/key-set.js';
import { createKey, rotateKeys } from '../../../src/receipts/new-key.js';
import { RECEIPT_TYPE, ReceiptIssuer, receiptOf } from '../../../src/receipts/receipt-issuer.js';
import { Dice } from '../../support/dice.js';

const TERMS = { validDays: 30, issuer: 'Example Bank', maxBytes: 20_000, software: 'elsewise test' };
const NOW = new Date('2026-11-18T10:00:00Z');
const END = Date.parse('2026-12-19T00:00:00Z');
const DIGEST = `sha256:${'0'.repeat(64)}`;
const RESULT = {
  ...{ schema: 'elsewise.result/v1', id: 'a-17', status: 'found', target: 'approved', seed: 7, elapsedMs: 0.1 },
  model: { name: 'credit', version: 3, digest: DIGEST },
  policy: { name: 'retail', digest: DIGEST },
  factual: { features: { income: 2100 }, prediction: 'rejected', score: 0.31 },
  counterfactuals: [
    {
      ...{ features: { income: 2600 }, prediction: 'approved', score: 0.52, cost: 0.78, solver: 'hyperplane' },
      changes: [{ feature: 'income', from: 2100, to: 2600 }],
      distances: { l0: 1, l1: 500, l2: 500 },
      proof: { kind: 'optimal', lowerBound: 0.78, gap: 0 },
    },
  ],
  ...{ attempts: [], degraded: false },
} as ResultDocument;

let key: ReceiptKey;
let keys: KeySet;
let receipt: string;
const folder = mkdtempSync(join(tmpdir(), 'elsewise-receipts-'));
const open = (list: readonly object[]) => openKeys(JSON.stringify({ keys: list }), 'keys.json');
const sign = async (set: KeySet, now = NOW) => (await new ReceiptIssuer(async () => set, TERMS).issue(RESULT, now))!;
const check = (text: string, now = NOW, set = keys) => checkReceipt(text, set, { now, maxBytes: TERMS.maxBytes });
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Any document under any header, by our own key. */
async function signed(payload: unknown, header: object = {}): Promise<string> {
  const own = await importJWK(key, 'EdDSA');
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  return new CompactSign(bytes)
    .setProtectedHeader({ alg: 'EdDSA', typ: RECEIPT_TYPE, kid: key.kid, ...header })
    .sign(own);
}

beforeAll(async () => {
  key = await createKey();
  keys = await open([key]);
  receipt = (await sign(keys)).receipt;
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a receipt', () => {
  it('is valid until the end of its last day, and tells the decision and the offers without the values of the person', async () => {
    const { state, words, receipt: read } = await check(receipt);
    expect([state, words]).toEqual(['valid', 'until 2026-12-18 (UTC)']);
    expect(read).toEqual(receiptOf(RESULT, TERMS, NOW));
    expect(read).toMatchObject({ iss: 'Example Bank', offers: [{ changes: { income: 2600 }, cost: 0.78 }] });
    expect(JSON.stringify(read)).not.toContain('2100');
    expect((await check(receipt, new Date(END - 1000))).state).toBe('valid');
    expect(await check(receipt, new Date(END))).toMatchObject({
      state: 'expired',
      words: 'since 2026-12-19T00:00:00Z',
    });
    expect((await check(receipt, new Date(END + 1000))).state).toBe('expired');
    expect((await check(receipt, new Date(NOW.getTime() - 61_000))).state).toBe('not yet valid');
    expect((await sign(keys)).receipt).toBe(receipt); // same input, same bytes
  });

  it('is never valid with any changed character, nor with a part of it', async () => {
    const dice = new Dice(3);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    const last = receipt.length - 1; // some bits of the last character have no meaning
    for (const at of [last, last, last, last, ...Array.from({ length: 300 }, () => dice.integer(0, last))]) {
      const other = letters[dice.integer(0, letters.length - 1)];
      if (other === receipt[at]) continue;
      const { state } = await check(receipt.slice(0, at) + other + receipt.slice(at + 1));
      expect(['altered', 'key unknown', 'no receipt']).toContain(state);
    }
    for (let end = 0; end < receipt.length; end += 13)
      expect(['altered', 'no receipt']).toContain((await check(receipt.slice(0, end))).state);
    expect((await check(`${receipt}=`)).state).toBe('no receipt');
    expect((await check('a'.repeat(TERMS.maxBytes + 1))).words).toContain('receipts.maxBytes');
  });

  it('is signed with EdDSA by a known key, whatever its header says', async () => {
    const [, payload, signature] = receipt.split('.');
    const header = { typ: RECEIPT_TYPE, kid: key.kid };
    const none = part({ ...header, alg: 'none' });
    for (const text of [`${none}.${payload}.`, `${none}.${payload}.${signature}`])
      expect(await check(text)).toMatchObject({ state: 'altered', words: expect.stringContaining('"none"') });
    const hs = `${part({ ...header, alg: 'HS256' })}.${payload}`;
    for (const secret of [key.x, Buffer.from(key.x, 'base64url')]) {
      const mac = createHmac('sha256', secret).update(hs).digest('base64url');
      expect((await check(`${hs}.${mac}`)).state).toBe('altered');
    }
    const stranger = await createKey();
    const strange = (await sign(await open([stranger]))).receipt;
    expect((await check(strange)).state).toBe('key unknown');
    // the key of a stranger in the header, or under our name
    const own = { ...stranger, kid: key.kid };
    expect((await check((await sign(await open([own]))).receipt)).state).toBe('altered');
    const { d: _, ...jwk } = stranger;
    const bytes = Buffer.from(payload, 'base64url');
    const embedded = new CompactSign(bytes).setProtectedHeader({ ...header, alg: 'EdDSA', jwk });
    expect((await check(await embedded.sign(await importJWK(stranger, 'EdDSA')))).state).toBe('altered');
    expect((await check(await signed(receiptOf(RESULT, TERMS, NOW), { typ: 'JWT' }))).state).toBe('no receipt');
  });

  it('is no other document of the same key, and does not contradict itself', async () => {
    const good = receiptOf(RESULT, TERMS, NOW)!;
    expect((await check(await signed(good))).state).toBe('valid');
    for (const other of [null, [], { ...good, more: 1 }, { ...good, exp: good.exp + 86_400 }, { ...good, exp: '9' }])
      expect((await check(await signed(other))).state).toBe('no receipt');
  });

  it('is not issued for an invalid row', async () => {
    expect(receiptOf({ ...RESULT, status: 'invalid', factual: null }, TERMS, NOW)).toBeNull();
  });
});

describe('keys', () => {
  it('verify old receipts behind a rotation, without their private part', async () => {
    const rotated = await rotateKeys(await rotateKeys([key]));
    expect(rotated.map(({ d }) => d !== undefined)).toEqual([true, false, false]);
    const set = await open(rotated);
    expect((await check(receipt, NOW, set)).state).toBe('valid');
    expect((await check((await sign(set)).receipt, NOW, keys)).state).toBe('key unknown');
    expect(JSON.stringify(set.publicKeys)).not.toContain('"d"');
  });

  it('are refused with their place and without their content', async () => {
    const ec = await exportJWK(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    const x25519 = await exportJWK(generateKeyPairSync('x25519').privateKey);
    const other = await createKey();
    const cases: [object[], RegExp][] = [
      [[{ ...ec, kid: 'p' }], /keys\[0\]\.kty: .*OKP/],
      [[{ ...x25519, kid: 'p' }], /keys\[0\]\.crv: .*Ed25519/],
      [[key, { ...other, kid: key.kid }], /keys\[1\]\.kid: another key has the same kid/],
      [[{ ...key, d: `${key.d}A` }], /keys\[0\]\.d/],
      [[{ ...key, d: other.d }], /keys\[0\]: (the private part does not fit|is no valid)/],
    ];
    for (const [list, message] of cases) {
      const error = await open(list).catch((thrown: Error) => thrown);
      expect((error as Error).message).toMatch(message);
      for (const secret of [key.d!, other.d!, ec.d!, x25519.d!]) expect((error as Error).message).not.toContain(secret);
    }
    const broken = await openKeys(`{"keys":[{"d":"${key.d}"`, 'keys.json').catch((thrown: Error) => thrown);
    expect((broken as Error).message).not.toContain(key.d);
  });

  it('are read again when their file changes, and stay while the file is broken', async () => {
    const path = join(folder, 'keys.json');
    const warnings: string[] = [];
    const file = new KeyFile(path, (message) => void warnings.push(message));
    await expect(file.keys()).rejects.toThrow('no such file');
    await writeKeyFile(path, [key]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await file.keys()).signer!.kid).toBe(key.kid);
    const [next, ...earlier] = await rotateKeys([key]);
    await writeKeyFile(path, [next, ...earlier]);
    expect((await file.keys()).signer!.kid).toBe(next.kid);
    expect(warnings).toEqual([]);
    writeFileSync(`${path}.new`, '{');
    renameSync(`${path}.new`, path);
    expect((await file.keys()).signer!.kid).toBe(next.kid);
    expect((await file.keys()).signer!.kid).toBe(next.kid);
    expect(warnings).toEqual([expect.stringContaining('stay as they were')]);
    await writeKeyFile(path, [next]);
    chmodSync(path, 0o644);
    await file.keys();
    expect(warnings[1]).toContain('chmod 600');
    rmSync(path);
    expect((await file.keys()).signer!.kid).toBe(next.kid);
  });
});
