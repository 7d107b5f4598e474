import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { variableOf } from '../../src/api/settings.js';
import { config } from '../../src/config.js';
import { storeSettings } from '../../src/store/settings.js';

describe('configuration', () => {
  it('comes from the file of defaults', () => {
    expect(config).toEqual(JSON.parse(readFileSync('config/default.json', 'utf8')));
    expect(storeSettings({}, {})).toEqual(config.store);
  });

  it('lets the environment win over the file, and an option over both', () => {
    const environment = { REDIS_URL: 'redis://elsewhere:1', ELSEWISE_BATCH_TTL_SECONDS: '60' };
    expect(storeSettings({}, environment)).toMatchObject({ url: 'redis://elsewhere:1', batchTtlSeconds: 60 });
    expect(storeSettings({ url: 'redis://given:2' }, environment).url).toBe('redis://given:2');
  });

  it('names every variable on its page', () => {
    const page = readFileSync('config/README.md', 'utf8');
    for (const name of Object.keys(config.store)) expect(page).toContain(`\`store.${name}\``);
    for (const name of Object.keys(config.api)) expect(page).toContain(`| \`api.${name}\` | \`${variableOf(name)}\` |`);
    for (const [, variable] of readFileSync('src/store/settings.ts', 'utf8').matchAll(/'([A-Z][A-Z_]+)'/g))
      expect(page).toContain(variable);
  });
});
