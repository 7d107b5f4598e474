/** Receipts from end to end: over HTTP with keys that rotate, from the command line, and in letters. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiServer } from '../../dist/api/server.js';
import { apiSettings } from '../../dist/api/settings.js';
import { writeKeyFile } from '../../dist/receipts/key-file.js';
import { rotateKeys } from '../../dist/receipts/new-key.js';
import { recordsOf } from '../../dist/store/audit/read-chain.js';
import { Keys } from '../../dist/store/keys.js';
import type { SignedReceipt } from '../../src/documents/receipt-document.js';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { ApiWorld, credentials, exampleFeatures, TOKENS } from './api-world.js';
import { CREDIT, callHere, readLines, temporaryFolder, writeText } from './cli-process.js';
import { until } from './queue-world.js';

const MODEL = join(CREDIT, 'model.json');
const POLICY = join(CREDIT, 'policy.json');
const call = (...args: string[]) => callHere(args, {});

describe('the commands', () => {
  it('sign, check and carry receipts in letters', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    const [header, ...rows] = readLines(join(CREDIT, 'applicants.csv'));
    const input = writeText(
      folder,
      'rows.csv',
      `${[header, ...rows.slice(0, 4), `broken${','.repeat(17)}`].join('\n')}\n`,
    );
    const plan = ['--model', MODEL, '--policy', POLICY];
    await call('explain', ...plan, '--input', input, '--output', at('results.ndjson'), '--threads', '1', '--quiet');
    expect((await call('receipts', 'keys', '--output', at('keys.json'), '--public', at('jwks.json'))).code).toBe(0);
    expect(readFileSync(at('jwks.json'), 'utf8')).not.toContain('"d"');
    const signing = ['receipts', 'sign', at('results.ndjson'), '--keys', at('keys.json'), '--valid-days', '30'];
    const signed = await call(...signing, '--output', at('receipts.ndjson'));
    expect([signed.code, signed.stderr]).toEqual([0, '4 receipts; 1 invalid row has none\n']);
    const [{ receipt }] = readLines(at('receipts.ndjson')).map((line) => JSON.parse(line) as SignedReceipt);
    const check = (what: string, ...options: string[]) =>
      call('receipts', 'check', what, '--keys', at('jwks.json'), ...options);
    const all = await check(at('receipts.ndjson'));
    expect([all.code, all.stdout]).toEqual([
      0,
      expect.stringMatching(/^line 1, "a-0001": valid: until 20\S+ \(UTC\)\n(?:.*\n){3}4 valid, 0 not valid\n$/),
    ]);
    const lines = readLines(at('receipts.ndjson')).map((line) => JSON.parse(line) as SignedReceipt);
    const wrapped = async (...changed: SignedReceipt[]) =>
      check(writeText(folder, 'wrapped.ndjson', `${changed.map((line) => JSON.stringify(line)).join('\n')}\n`));
    for (const one of [
      await wrapped({ ...lines[0], id: 'a-9999' }),
      await wrapped(lines[1], { ...lines[0], id: 'a-9999' }),
      await wrapped(lines[1], { ...lines[0], validUntil: '2036-12-19' }),
      await wrapped(lines[1], { ...lines[0], receipt: lines[1].receipt }),
    ])
      expect([one.code, one.stdout]).toEqual([1, expect.stringMatching(/wrong: .*the line names the (id|last day) /)]);
    const swapped = await wrapped(
      { ...lines[0], receipt: lines[1].receipt },
      { ...lines[1], receipt: lines[0].receipt },
      lines[2],
    );
    expect(swapped.stdout).toMatch(
      /^line 1, "a-0002": wrong: .*\nline 2, "a-0001": wrong: .*\nline 3, .*\n1 valid, 2 not valid\n$/,
    );
    const many = await wrapped(...Array.from({ length: 130 }, () => lines[0]));
    expect(many.stdout.split('\n').slice(-4)).toEqual([
      expect.stringMatching(/^line 100, /),
      'and 30 more valid',
      '130 valid, 0 not valid',
      '',
    ]);
    const { factual } = JSON.parse(readLines(at('results.ndjson'))[0]);
    const row = writeText(folder, 'row.json', JSON.stringify(factual));
    const reversed = Object.fromEntries(Object.entries(factual.features).reverse());
    const turned = writeText(folder, 'turned.json', JSON.stringify(reversed));
    const other = writeText(folder, 'other.json', JSON.stringify({ ...factual.features, income: 1 }));
    expect((await check(receipt, '--input', row)).code).toBe(0);
    const turnedAlone = await check(receipt, '--input', turned);
    expect([turnedAlone.code, turnedAlone.stdout]).toEqual([1, expect.stringContaining('give --model')]);
    const whole = await check(receipt, '--input', turned, ...plan);
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining('the same status, offers and proofs')]);
    expect((await check(receipt, '--input', other, ...plan)).stdout).toContain('wrong: the row has another digest');
    const otherPolicy = await check(receipt, '--model', MODEL);
    expect([otherPolicy.code, otherPolicy.stdout]).toEqual([
      1,
      expect.stringContaining('the receipt is of the policy'),
    ]);
    const late = await check(receipt, '--at', '2100-01-01');
    expect([late.code, late.stdout]).toEqual([1, expect.stringMatching(/^expired: since 20/)]);
    for (const wrong of ['2026-12-01T12:00', '2026-02-30', 'tomorrow'])
      expect((await check(receipt, '--at', wrong)).stderr).toContain('--at: expected a day, or a time with its zone');
    const twice2 = readLines(at('receipts.ndjson'))[0].replace('{', '{"id":"a-0002",');
    expect((await check(writeText(folder, 'twice.ndjson', twice2))).stderr).toContain('id: is named twice');
    expect((await check('no.such')).code).toBe(2);
    expect((await check(receipt, '--policy', POLICY)).code).toBe(2);
    for (const [language, words] of [
      ['en', 'We stand by'],
      ['de', 'Wir stehen bis'],
      ['fr', 'Nous nous engageons'],
    ]) {
      const output = at(language);
      const options = ['--language', language, '--output', output, '--keys', at('keys.json'), '--valid-days', '10'];
      const made = await call('letters', at('results.ndjson'), '--model', MODEL, ...options, '--date', '2026-12-01');
      expect(made.code).toBe(0);
      for (const form of ['html', 'txt']) {
        const letter = join(output, `a-0001.${form}`);
        expect(readFileSync(letter, 'utf8')).toContain(words);
        expect(readFileSync(letter, 'utf8')).toMatch(
          { en: /December 11, 2026|11 December 2026/, de: /11\. Dezember 2026/, fr: /11 décembre 2026/ }[language]!,
        );
        expect((await check(letter, '--at', '2026-12-11T23:59:59Z')).stdout).toContain('valid: until 2026-12-11 (UTC)');
      }
    }
    const twice = ['--language', 'en', '--output', at('x'), '--keys', at('keys.json'), '--valid-until', '2026-12-01'];
    expect((await call('letters', at('results.ndjson'), '--model', MODEL, ...twice)).stderr).toContain(
      'exclude each other',
    );
  });
});

describe('an answer on record', () => {
  it('is signed only as it is on record, also where the answer holds by itself', async () => {
    const keys = join(temporaryFolder(), 'keys.json');
    await writeKeyFile(keys, await rotateKeys([]));
    const api = await ApiWorld.create({}, [], undefined, { keys, validDays: 30, issuer: '', maxBytes: 100_000 });
    try {
      await api.world.serve({ lanes: ['events'], audit: { enabled: true, retentionDays: 30 } });
      const features = exampleFeatures(api.world);
      const { store } = api.world;
      const answered = async (id: string, income: unknown) => {
        const body = { id, model: 'credit', features: { ...features, income }, target: 'approved' };
        await api.call('POST', '/v1/explanations?waitMs=60000', { as: 'submit', body });
        await until(`the record of ${id}`, async () => (await recordsOf(store.audit, id)).length === 1);
      };
      await answered('one', features.income);
      await answered('two', Number(features.income) + 10);
      const receipt = () => api.call('GET', '/v1/explanations/one/receipt', { as: 'read' });
      expect((await receipt()).status).toBe(200);
      const of = new Keys(store.settings.keyPrefix);
      const other = JSON.parse((await store.redis.get(of.result('two')))!) as ResultDocument;
      await store.redis.set(of.result('one'), JSON.stringify({ ...other, id: 'one' }));
      const { status, json } = await receipt();
      expect([status, json.detail]).toEqual([409, expect.stringContaining('input: the record has')]);
    } finally {
      await api.close();
    }
  });
});

describe('the API', () => {
  it('issues receipts and publishes its keys, which rotate without a restart', async () => {
    const folder = temporaryFolder();
    const keys = join(folder, 'keys.json');
    const first = await rotateKeys([]);
    await writeKeyFile(keys, first);
    const api = await ApiWorld.create({}, ['events']);
    const server = await ApiServer.start({
      ...{ store: api.world.store.settings, api: apiSettings({ port: 0, tokens: TOKENS }, {}), insecureNoAuth: false },
      receipts: { keys, validDays: 30, issuer: '', maxBytes: 100_000 },
      log: { write: () => {} },
    });
    try {
      const body = { id: 'asked', model: 'credit', features: exampleFeatures(api.world), target: 'approved' };
      await api.call('POST', '/v1/explanations?waitMs=60000', { as: 'submit', body });
      const path = '/v1/explanations/asked/receipt';
      const fetched = async () => fetch(server.address + path, { headers: credentials('read') });
      const one = (await (await fetched()).json()) as SignedReceipt;
      await writeKeyFile(keys, await rotateKeys(first));
      const two = (await (await fetched()).json()) as SignedReceipt;
      const checked = async (body: object, as: 'audit' | 'read' = 'audit') => {
        const headers = { ...credentials(as), 'content-type': 'application/json' };
        const address = `${server.address}/v1/receipt-checks`;
        const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
        return (await answer.json()) as { status?: number; state: string; notes: string[]; faults: string[] };
      };
      const row = { receipt: one.receipt, features: body.features, model: 'credit' };
      expect(await checked({ receipt: one.receipt })).toMatchObject({ state: 'valid', notes: [], faults: [] });
      const offers = expect.stringContaining('every offer holds');
      const same = expect.stringContaining('the same status, offers and proofs');
      expect(await checked(row)).toMatchObject({
        state: 'valid',
        notes: [expect.any(String), offers, same],
        faults: [],
      });
      const other = { ...row, features: { ...body.features, income: 1 } };
      expect(await checked(other)).toMatchObject({ faults: ['the row has another digest than the receipt'] });
      const simple = { ...row, policy: { schema: 'elsewise.policy/v1', name: 'other', maxChanges: 1 } };
      expect((await checked(simple)).faults[0]).toContain('the receipt is of the policy');
      const [head, payload, signature] = one.receipt.split('.');
      expect((await checked({ receipt: [head, `${payload}A`, signature].join('.') })).state).toBe('altered');
      expect((await checked({ receipt: one.receipt }, 'read')).status).toBe(403);
      const published = await fetch(`${server.address}/.well-known/jwks.json`);
      expect(published.headers.get('cache-control')).toBe('public, max-age=300');
      const text = await published.text();
      expect(text).not.toContain('"d"');
      const jwks = writeText(folder, 'jwks.json', text);
      const both = writeText(folder, 'both.txt', `${one.receipt}\n${two.receipt}\n`);
      expect(await call('receipts', 'check', both, '--keys', jwks)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^line 1, "asked": valid: .*\nline 2, .*\n2 valid, 0 not valid\n$/),
      });
      expect(one.receipt.split('.')[0]).not.toBe(two.receipt.split('.')[0]);
      expect((await fetch(server.address + path, { headers: credentials('submit') })).status).toBe(403);
      const { redis, settings } = api.world.store;
      const key = new Keys(settings.keyPrefix).result('asked');
      const stored = (await redis.get(key))!;
      const result = JSON.parse(stored) as ResultDocument;
      const [answer] = result.counterfactuals;
      const { feature } = answer.changes[0];
      const shown = result.factual!;
      const forgeries: Record<string, object> = {
        'another offer': { ...answer, features: { ...answer.features, [feature]: shown.features[feature] } },
        'another change': { ...answer, changes: answer.changes.map((change) => ({ ...change, to: change.from })) },
        'another score': { ...answer, score: 0.99 },
        'a bound that is too high': { ...answer, proof: { ...answer.proof, lowerBound: 2 * answer.cost } },
      };
      const answers = Object.entries(forgeries).map(([name, one]) => [name, { ...result, counterfactuals: [one] }]);
      const others: [string, object][] = [
        ...(answers as [string, object][]),
        ['another decision', { ...result, factual: { ...shown, score: 0.2 } }],
        ['another status', { ...result, status: 'infeasible', counterfactuals: [] }],
        ['another version', { ...result, model: { ...result.model, version: 9 } }],
        ['no result', { id: 'asked' }],
      ];
      for (const [name, forged] of others) {
        await redis.set(key, JSON.stringify(forged));
        const refused = await fetched();
        expect([refused.status, await refused.text()], name).toEqual([
          409,
          expect.stringContaining('fails its check and is not signed'),
        ]);
      }
      await redis.set(key, stored);
      expect((await fetched()).status).toBe(200);
      // the other server has no keys
      expect((await api.call('GET', path, { as: 'read' })).status).toBe(422);
      expect((await api.call('GET', '/.well-known/jwks.json', { as: 'nobody' })).json).toEqual({ keys: [] });
    } finally {
      await server.drain();
      await api.close();
    }
  });
});
