import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { apiSettings, readTokenFile } from '../../../src/api/settings.js';
import { createToken, hashToken, mayDo, TokenTable } from '../../../src/api/tokens.js';
import { WaitSlots } from '../../../src/api/wait-slots.js';
import { config } from '../../../src/config.js';

const secret = createToken();
const entry = { name: 'ci', roles: ['submit' as const], sha256: hashToken(secret) };

describe('settings', () => {
  it('come from the defaults, the environment, and what is given', () => {
    expect(apiSettings({}, {})).toEqual(config.api);
    const environment = { ELSEWISE_API_PORT: '81', ELSEWISE_API_HOST: '::1', ELSEWISE_API_LOG_ROWS: 'true' };
    expect(apiSettings({}, environment)).toMatchObject({ port: 81, host: '::1', logRows: true });
    expect(apiSettings({ port: 82 }, environment).port).toBe(82);
    expect(apiSettings({}, { ELSEWISE_API_MAX_WAIT_MS: '7' }).maxWaitMs).toBe(7);
  });

  it('are refused by their path, tokens without being repeated', () => {
    expect(() => apiSettings({}, { ELSEWISE_API_PORT: '99999' })).toThrow('ELSEWISE_API_PORT');
    expect(() => apiSettings({}, { ELSEWISE_API_PORT: 'x' })).toThrow('ELSEWISE_API_PORT');
    const plain = JSON.stringify([{ ...entry, sha256: secret }]);
    expect(() => apiSettings({}, { ELSEWISE_API_TOKENS: plain })).toThrow(/^(?!.*elsewise_).*sha256/s);
    expect(() => apiSettings({}, { ELSEWISE_API_TOKENS: secret })).toThrow(/^(?!.*elsewise_)/);
  });

  it('read tokens from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'elsewise-tokens-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'tokens.json');
    writeFileSync(file, JSON.stringify([entry]));
    expect(apiSettings({}, { ELSEWISE_API_TOKENS_FILE: file }).tokens).toEqual([entry]);
    expect(() => readTokenFile(join(folder, 'none'))).toThrow('cannot be read');
  });
});

describe('tokens', () => {
  const table = new TokenTable([entry], false);

  it('are known by their hash', () => {
    expect(table.identify(`Bearer ${secret}`)?.name).toBe('ci');
    expect(table.identify(`bearer ${secret}`)?.name).toBe('ci');
    for (const bad of [undefined, '', 'Bearer ', `Bearer ${entry.sha256}`, `Bearer ${createToken()}`, secret])
      expect(table.identify(bad)).toBeUndefined();
  });

  it('are all different and long', () => {
    expect(new Set(Array.from({ length: 100 }, createToken)).size).toBe(100);
    expect(secret.length).toBeGreaterThan(43);
  });

  it('carry roles; an admin may do everything', () => {
    const caller = table.identify(`Bearer ${secret}`)!;
    expect([mayDo(caller, 'submit'), mayDo(caller, 'read'), mayDo(caller, 'anyone')]).toEqual([true, false, true]);
    expect(mayDo({ name: 'a', roles: ['admin'] }, 'read')).toBe(true);
  });
});

describe('wait slots', () => {
  it('are given until there are none, and again when one is left', () => {
    const waitSlots = new WaitSlots(1);
    const leave = waitSlots.take()!;
    expect([waitSlots.taken, waitSlots.take()]).toEqual([1, undefined]);
    leave();
    expect(waitSlots.take()).toBeDefined();
  });
});
