/** Every form of the URL, what fills in what it leaves out, and what is refused before anything connects. */
import { describe, expect, it } from 'vitest';
import { locate, showAddress } from '../../../src/store/redis/redis-address.js';
import { storeSettings } from '../../../src/store/settings.js';

const at = (url: string, environment: NodeJS.ProcessEnv = {}) => locate(storeSettings({ url }, environment));

describe('a URL', () => {
  it.each([
    ['redis://127.0.0.1:7000', { kind: 'single', isEncrypted: false, nodes: [{ host: '127.0.0.1', port: 7000 }] }],
    ['redis://', { kind: 'single', nodes: [{ host: '127.0.0.1', port: 6379 }], database: 0 }],
    ['rediss://cache.bank:7000/3', { isEncrypted: true, nodes: [{ host: 'cache.bank', port: 7000 }], database: 3 }],
    ['redis://[::1]:7000', { nodes: [{ host: '::1', port: 7000 }] }],
    ['redis+sentinel://a:1,b/main', { kind: 'sentinel', master: 'main', database: 0 }],
    [
      'redis+sentinel://a:1,b/main/4',
      {
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 26379 },
        ],
        database: 4,
      },
    ],
    [
      'rediss+cluster://a:1,[::1]:2',
      {
        kind: 'cluster',
        isEncrypted: true,
        nodes: [
          { host: 'a', port: 1 },
          { host: '::1', port: 2 },
        ],
      },
    ],
  ])('%s', (url, expected) => {
    expect(at(url)).toMatchObject(expected);
  });

  it.each(['redis://a:1', 'rediss://[::1]:2', 'redis+sentinel://a:1,b:2/main', 'rediss+cluster://a:1,b:2'])(
    '%s is shown as it is, but for secrets',
    (url) => {
      expect(showAddress(at(url.replace('://', '://user:secret@')))).toBe(url);
    },
  );

  it('carries user and password, escaped', () => {
    expect(at('redis://me:p%40s%2Fs@a').settings).toMatchObject({ username: 'me', password: 'p@s/s' });
    expect(at('redis://:only@a').settings).toMatchObject({ username: '', password: 'only' });
    expect(at('redis://me@a').settings).toMatchObject({ username: 'me', password: '' });
  });

  it('wins over the environment, which fills in the rest', () => {
    const environment = {
      ELSEWISE_STORE_USERNAME: 'env',
      ELSEWISE_STORE_PASSWORD: 'env',
      ELSEWISE_STORE_CA_FILE: 'env',
    };
    expect(at('rediss://me@a?caFile=url.pem', environment).settings).toMatchObject({
      username: 'me',
      password: 'env',
      caFile: 'url.pem',
    });
  });

  it.each([
    ['http://a', 'expected redis://host:port'],
    ['redis://me:secret@a:b', 'expected host:port, got "a:b"'],
    ['redis://a:70000', 'expected host:port'],
    ['redis://a,b', 'redis:// takes one host'],
    ['redis://a/main', 'expected the number of a database'],
    ['redis+cluster://a/1', 'one database only'],
    ['redis+sentinel://a', 'need the name of the master'],
    ['rediss://a?cafile=x', 'did you mean "caFile"?'],
    ['redis://a?caFile=x', 'without TLS'],
    ['rediss://a?certFile=x', 'certFile and keyFile belong together'],
    ['redis://a%:b@c', 'write it as %25'],
  ])('%s is refused', (url, reason) => {
    expect(() => at(url)).toThrow(reason);
  });

  it('that is refused keeps its password to itself', () => {
    for (const url of ['htp://me:sec/ret@a', 'redis://me:sec/ret@a', 'redis://me:sec?ret@a'])
      expect(() => at(url)).toThrow(expect.not.objectContaining({ message: expect.stringMatching(/sec|ret/) }));
  });
});

describe('nodes that are set by themselves', () => {
  const sentinels = { ELSEWISE_STORE_SENTINEL_NODES: 'a:1, b:2', ELSEWISE_STORE_SENTINEL_MASTER: 'main' };

  it('stand in place of the URL of the same environment, not of one that was asked for', () => {
    const settings = storeSettings({}, { ...sentinels, REDIS_URL: 'rediss://me:secret@/2' });
    expect(showAddress(locate(settings))).toBe('rediss+sentinel://a:1,b:2/main');
    expect(locate(settings)).toMatchObject({ database: 2, settings: { username: 'me' } });
    expect(showAddress(at('redis://c:3', sentinels))).toBe('redis://c:3');
  });

  it('are of one kind', () => {
    const both = { ...sentinels, ELSEWISE_STORE_CLUSTER_NODES: 'a:1' };
    expect(() => storeSettings({}, both)).toThrow('both set');
    const other = { ...sentinels, REDIS_URL: 'redis+cluster://a:1' };
    expect(() => storeSettings({}, other)).toThrow('sentinelNodes is set as well');
  });
});

describe('the prefix of the queues', () => {
  it('is a hash tag on a Cluster and nowhere else', () => {
    expect(storeSettings({ url: 'redis+cluster://a' }, {}).queuePrefix).toBe('{bull}');
    expect(storeSettings({ url: 'redis+cluster://a', queuePrefix: 'x:{y}' }, {}).queuePrefix).toBe('x:{y}');
    expect(storeSettings({}, { ELSEWISE_STORE_CLUSTER_NODES: 'a' }).queuePrefix).toBe('{bull}');
    expect(storeSettings({ url: 'redis+sentinel://a/main' }, {}).queuePrefix).toBe('bull');
  });
});
