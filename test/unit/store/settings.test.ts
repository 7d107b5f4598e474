/** Option over environment over default. */
import { describe, expect, it } from 'vitest';
import { storeSettings } from '../../../src/store/settings.js';

describe('settings', () => {
  it('have defaults', () => {
    const { url, keyPrefix, queuePrefix } = storeSettings({}, {});
    expect({ url, keyPrefix, queuePrefix }).toEqual({
      url: 'redis://127.0.0.1:6379',
      keyPrefix: 'elsewise',
      queuePrefix: 'bull',
    });
  });

  it('come from the environment, where an empty variable is none', () => {
    const environment = { REDIS_URL: 'redis://a:1', ELSEWISE_BATCH_TTL_SECONDS: '60', ELSEWISE_PREFIX: '' };
    expect(storeSettings({}, environment)).toMatchObject({
      url: 'redis://a:1',
      batchTtlSeconds: 60,
      keyPrefix: 'elsewise',
    });
    expect(storeSettings({ url: 'redis://b:2' }, environment).url).toBe('redis://b:2');
    expect(storeSettings({ url: undefined }, environment).url).toBe('redis://a:1');
  });

  it.each(['0', '-1', '1.5', 'soon'])('refuse a time to live of %s', (text) => {
    expect(() => storeSettings({}, { ELSEWISE_ANSWER_TTL_SECONDS: text })).toThrow('ELSEWISE_ANSWER_TTL_SECONDS');
  });
});
