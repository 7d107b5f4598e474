/** Attempts to have the process ask addresses that the operator does not mean (server-side request forgery). */
import { describe, expect, it } from 'vitest';
import {
  type AddressRules,
  checkAddress,
  guardedLookup,
  isInnerAddress,
} from '../../../src/scoring/transport/address-guard.js';
import { HttpExchange } from '../../../src/scoring/transport/http-exchange.js';
import { settingsWith } from './settings.js';

const check = (url: string, rules: Partial<AddressRules>) =>
  checkAddress(new URL(url), { hosts: [], privateAddresses: false, ...rules });

describe('the list of hosts', () => {
  it.each([
    ['http://scorer.example/score', 'scorer.example'],
    ['https://scorer.example/score', 'scorer.example:443'],
    ['http://SCORER.example:80/', 'scorer.example'],
    ['http://scorer.example:8080/', 'Scorer.Example:8080'],
  ])('allows %s by %s', (url, host) => {
    expect(() => check(url, { hosts: [host] })).not.toThrow();
  });

  it.each([
    ['http://scorer.example.evil.example/', 'scorer.example'],
    ['http://evil.example/scorer.example', 'scorer.example'],
    ['http://scorer.example:8080/', 'scorer.example'],
    ['http://scorer.example/', 'scorer.example:8080'],
    ['http://sub.scorer.example/', 'scorer.example'],
    ['http://scorer.example./', 'scorer.example'],
  ])('does not allow %s by %s', (url, host) => {
    expect(() => check(url, { hosts: [host] })).toThrow('scoring.hosts');
  });
});

describe('private addresses', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://10.1.2.3/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:7f00:1]/',
    'http://[2001:2::1]/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://192.88.99.1/',
    'http://[2002:7f00:1::]/',
  ])('are refused, however they are written: %s', (url) => {
    const hosts = [new URL(url).hostname];
    expect(() => check(url, { hosts })).toThrow('private address');
    expect(() => check(url, { hosts, privateAddresses: true })).not.toThrow();
  });

  it('are told from public ones', () => {
    expect(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'].map(isInnerAddress)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(isInnerAddress('no address')).toBe(true);
    expect(isInnerAddress('fe80::1%eth0')).toBe(true);
  });

  it('are refused behind a name, where the connection is made', async () => {
    const exchange = new HttpExchange(settingsWith({ hosts: ['localhost:9'] }));
    const refused = exchange.send({ url: new URL('http://localhost:9/') }, 1000);
    await expect(refused).rejects.toMatchObject({ kind: 'refused' });
    exchange.close();
  });

  it('are left out of the addresses that a socket may connect to', async () => {
    const resolve = (privateAddresses: boolean) =>
      new Promise((done) => {
        guardedLookup({ privateAddresses })('localhost', { all: true }, (error, found) => done(error ?? found));
      });
    expect(await resolve(false)).toMatchObject({ kind: 'refused' });
    expect(await resolve(true)).toContainEqual(
      expect.objectContaining({ address: expect.stringMatching(/127\.0\.0\.1|::1/) }),
    );
  });
});
