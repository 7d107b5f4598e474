import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../../src/jobs/webhooks/signature.js';
import { checkWebhook } from '../../../src/jobs/webhooks/webhook.js';

describe('the signature of a webhook', () => {
  it('is that of Standard Webhooks', () => {
    // the example of the specification's own libraries
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
    expect(signatureHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});

const settings = {
  hosts: ['hooks.example', 'localhost:8080'],
  privateAddresses: false,
  secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
  timeoutMs: 1000,
  attempts: 2,
};

describe('the address of a webhook', () => {
  it('may be a host of the settings', () => {
    expect(() => checkWebhook('https://hooks.example/a?b=c', settings)).not.toThrow();
  });

  it.each([
    ['https://other.example/', 'is not in the setting webhooks.hosts (ELSEWISE_WEBHOOKS_HOSTS)'],
    ['https://hooks.example:8443/', 'is not in the setting webhooks.hosts'],
    ['https://me:secret@hooks.example/', 'expected https://host/path'],
    ['ftp://hooks.example/', 'expected https://host/path'],
    ['hooks.example', 'expected https://host/path'],
    ['https://hooks.example/#a', 'expected https://host/path'],
  ])('%s is refused', (address, words) => {
    expect(() => checkWebhook(address, settings)).toThrow(words);
  });

  it('is refused with a private address, and without a secret', () => {
    const hosts = ['127.0.0.1:8080'];
    const address = 'http://127.0.0.1:8080/';
    expect(() => checkWebhook(address, { ...settings, hosts })).toThrow('webhooks.privateAddresses');
    expect(() => checkWebhook(address, { ...settings, hosts, privateAddresses: true })).not.toThrow();
    for (const secret of ['', 'whsec_c2hvcnQ=', 'plain text'])
      expect(() => checkWebhook('https://hooks.example/', { ...settings, secret })).toThrow('webhooks.secret');
  });
});
