/** The product's own configuration: its defaults, its page, and that every entry can be told from a secret and from another. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { config, configEntries, configurationPage, explainConfig, readConfig, readDefaults } from '../../src/config.js';
import { QUEUES } from '../../src/jobs/contract.js';

const entries = configEntries();

describe('configuration', () => {
  it('has its defaults as data', () => {
    const defaults = JSON.parse(readFileSync('config/default.json', 'utf8'));
    expect(readDefaults()).toEqual(defaults);
    expect(readConfig({}, {})).toEqual(defaults);
  });

  it('is that of the process where nobody says otherwise', () => {
    expect({ ...config }).toEqual(readConfig({}, process.env));
  });

  it('describes every section and entry, each with variables of its own', () => {
    expect(entries.filter(({ description }) => description === '').map(({ path }) => path.join('.'))).toEqual([]);
    const names = entries.flatMap(({ variables, fileVariables }) => [...variables, ...fileVariables]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('takes every default back from its variable', () => {
    const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    for (const { entry, value } of explainConfig({}, {})) {
      if (value === undefined) continue;
      for (const name of entry.variables) {
        const read = explainConfig({}, { [name]: asText(value) }).find(({ origin }) => origin === name);
        if (asText(value) !== '') expect(read?.value, name).toEqual(value);
      }
    }
  });

  it('keeps the names of variables that people use', () => {
    const environment = {
      REDIS_URL: 'redis://a:1',
      ELSEWISE_PREFIX: 'p',
      ELSEWISE_QUEUE_PREFIX: 'q',
      ELSEWISE_BATCH_TTL_SECONDS: '1',
      ELSEWISE_ANSWER_TTL_SECONDS: '2',
      ELSEWISE_ANSWER_STREAM_LENGTH: '3',
    };
    expect(readConfig({}, environment).store).toMatchObject({
      url: 'redis://a:1',
      keyPrefix: 'p',
      queuePrefix: 'q',
      batchTtlSeconds: 1,
      answerTtlSeconds: 2,
      answerStreamLength: 3,
    });
  });

  it('names the queues that there are', () => {
    expect(readDefaults().worker.queues).toEqual([...Object.keys(QUEUES), 'schedule']);
  });

  it('is told by its page', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    expect(page === configurationPage(), 'the page is old: run `npm run build && npm run configuration`').toBe(true);
  });
});
