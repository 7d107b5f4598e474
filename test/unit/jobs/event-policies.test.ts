import { expect, it } from 'vitest';
import { EventPolicies } from '../../../src/jobs/events/event-policies.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const policy = (name: string) => ({ schema: 'elsewise.policy/v1', name });

it('reads the same text once, and another for itself', () => {
  const policies = new EventPolicies();
  const read = (name: string) => policies.read(policy(name), 'policy');
  expect(read('a')).toBe(read('a'));
  expect(read('b').digest).not.toBe(read('a').digest);
  expect(policies.open(read('a'))).toEqual(loadPolicy(policy('a')));
  expect(policies.open(read('a'))).toBe(policies.open(read('a')));
  expect(policies.open(undefined).name).toBe('default');
});

it('keeps no policy that is refused, and forgets the one unused longest', () => {
  const policies = new EventPolicies();
  const read = (name: string) => policies.read(policy(name), 'policy');
  for (let i = 0; i < 2; i++) expect(() => policies.read({ name: 7 }, 'body.policy')).toThrow('body.policy');
  const first = read('first');
  for (let i = 0; i < 63; i++) read(`p${i}`);
  expect(read('first')).toBe(first);
  for (let i = 0; i < 64; i++) read(`q${i}`);
  expect(read('first')).not.toBe(first);
});

it('keeps none that is very long', () => {
  const policies = new EventPolicies();
  const long = { ...policy('long'), description: 'x'.repeat(70_000) };
  expect(policies.read(long, 'policy')).not.toBe(policies.read(long, 'policy'));
});
