import { expect, it } from 'vitest';
import { PolicyCache } from '../../../src/jobs/worker/policy-cache.js';

const policy = (name: string) => ({ schema: 'elsewise.policy/v1', name });

it('gives the same policy for the same text, and another for another', () => {
  const cache = new PolicyCache();
  expect(cache.get(policy('a'))).toBe(cache.get(policy('a')));
  expect(cache.get(policy('b')).digest).not.toBe(cache.get(policy('a')).digest);
  expect(cache.get(undefined).name).toBe('default');
});

it('keeps no policy that is refused, and forgets the one unused longest', () => {
  const cache = new PolicyCache();
  for (let i = 0; i < 2; i++) expect(() => cache.get({ name: 7 })).toThrow('policy');
  const first = cache.get(policy('first'));
  for (let i = 0; i < 63; i++) cache.get(policy(`p${i}`));
  expect(cache.get(policy('first'))).toBe(first);
  for (let i = 0; i < 64; i++) cache.get(policy(`q${i}`));
  expect(cache.get(policy('first'))).not.toBe(first);
});
