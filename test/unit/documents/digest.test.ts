import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf } from '../../../src/documents/digest.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { creditModel, creditPolicy } from '../../support/documents.js';

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
}

describe('canonical JSON', () => {
  it('sorts keys at every depth and keeps the order of lists', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 'x'], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},"x"]}');
  });

  it('reads back as the same value, however the keys are ordered', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
        expect(canonicalJson(reversed(plain))).toBe(canonicalJson(plain));
      }),
    );
  });

  it('keeps a key named __proto__ as data', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"a":1}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"polluted":true},"a":1}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('digests', () => {
  it('are the SHA-256 of the canonical JSON', () => {
    const expected = createHash('sha256').update('{"a":1,"b":2}').digest('hex');
    expect(digestOf({ b: 2, a: 1 })).toBe(`sha256:${expected}`);
  });

  it('of a model and a policy do not depend on the order of keys', () => {
    expect(loadModel(reversed(creditModel())).digest).toBe(loadModel(creditModel()).digest);
    expect(loadPolicy(reversed(creditPolicy())).digest).toBe(loadPolicy(creditPolicy()).digest);
  });

  it('of a policy do not depend on defaults being spelt out', () => {
    const short = { schema: 'elsewise.policy/v1', target: 'approved' };
    expect(loadPolicy({ ...short, count: 1, margin: 0, constraints: [] }).digest).toBe(loadPolicy(short).digest);
  });

  it('change with the order of features, with a weight and with a rule', () => {
    const model = creditModel();
    const swapped = { ...model, classes: [...model.classes].reverse() };
    const heavier = { ...model, parameters: { ...model.parameters, bias: -3.1000000001 } };
    const digests = [model, swapped, heavier].map((document) => loadModel(document).digest);
    expect(new Set(digests).size).toBe(3);
    expect(loadPolicy({ ...creditPolicy(), maxChanges: 2 }).digest).not.toBe(loadPolicy(creditPolicy()).digest);
  });
});
