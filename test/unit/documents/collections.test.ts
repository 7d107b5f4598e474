/** Lists and records: what zod makes of them, with no more work than their first faults need. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ENOUGH_FAULTS, listOf, recordOf } from '../../../src/documents/collections.js';
import { parseDocument } from '../../../src/documents/parse.js';
import { policySchema } from '../../../src/documents/policy-document.js';

const MANY = 200_000;
const recordWith = (keys: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, value]));

/** A schema that counts how often it is asked. */
function counting() {
  const asked = { times: 0 };
  const schema = z.custom<number>((value) => {
    asked.times++;
    return typeof value === 'number';
  });
  return { asked, schema };
}

describe('the same as of zod', () => {
  const number = z.number().min(0);
  const pairs: [string, z.ZodType, z.ZodType, unknown[]][] = [
    ['a list', listOf(number), z.array(number), [[], [1, 2], [1, -1, 'x'], 'no list', null, { 0: 1 }]],
    ['a list with a least length', listOf(number).min(2), z.array(number).min(2), [[], [1], [1, 2], ['x']]],
    [
      'a list of lists',
      listOf(listOf(number)),
      z.array(z.array(number)),
      [
        [[1], []],
        [[1], ['x', 'y']],
        [[1], 2],
      ],
    ],
    ['a record', recordOf(number), z.record(z.string(), number), [{}, { a: 1 }, { a: -1, b: 'x' }, [], null, 'text']],
    ['optional', listOf(number).optional(), z.array(number).optional(), [undefined, [1], [null]]],
    ['with a default', recordOf(number).default({}), z.record(z.string(), number).default({}), [undefined, { a: 1 }]],
  ];

  it.each(pairs)('%s', (_name, ours, theirs, values) => {
    for (const value of values) {
      const [mine, other] = [ours.safeParse(value), theirs.safeParse(value)];
      expect(mine.data).toEqual(other.data);
      expect(mine.error?.issues).toEqual(other.error?.issues);
    }
    expect(z.toJSONSchema(ours, { io: 'input' })).toEqual(z.toJSONSchema(theirs, { io: 'input' }));
  });
});

describe('a container of faults', () => {
  it('is left at the last fault that is needed', () => {
    const { asked, schema } = counting();
    const list = listOf(schema).safeParse(Array(MANY).fill('x'));
    expect([asked.times, list.error?.issues.length]).toEqual([ENOUGH_FAULTS, ENOUGH_FAULTS]);
    asked.times = 0;
    recordOf(schema).safeParse(recordWith(1_000, 'x'));
    expect(asked.times).toBe(ENOUGH_FAULTS);
    asked.times = 0;
    listOf(listOf(schema)).safeParse(Array(1_000).fill(Array(1_000).fill('x')));
    expect(asked.times).toBe(ENOUGH_FAULTS);
  });

  it('is gone through where its faults are few', () => {
    const { asked, schema } = counting();
    expect(listOf(schema).safeParse([...Array(MANY).fill(1), 'x']).error?.issues[0].path).toEqual([MANY]);
    expect(asked.times).toBe(MANY + 1);
  });
});

describe('a document of faults', () => {
  const messageOf = (value: object, schema: z.ZodType = policySchema): string => {
    try {
      parseDocument(schema, value, 'policy');
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it was taken');
  };
  const policy = { schema: 'elsewise.policy/v1' };

  it('shows five of them, and counts a few more', () => {
    const six = messageOf({ ...policy, constraints: Array(6).fill(1) });
    expect(six.split('\n')).toHaveLength(6);
    expect(six).toMatch(/\n\(and 1 more\)$/);
    expect(messageOf({ ...policy, constraints: Array(MANY).fill(1) })).toMatch(/\n\(and more\)$/);
  });

  it.each([
    ['wrong types in a union', { ...policy, cost: { weights: recordWith(MANY, []) } }],
    ['unknown keys', { ...policy, ...recordWith(MANY, 1) }],
    ['unknown keys of a rule', { ...policy, features: { age: recordWith(MANY, 1) } }],
    ['wrong rules', { ...policy, features: recordWith(MANY, 1) }],
    ['misspelt rules', { ...policy, features: recordWith(MANY, { directon: 1 }) }],
    ['wrong values of a list', { ...policy, features: { age: { allow: Array(MANY).fill([]) } } }],
  ])('is said in a few words, however many they are: %s', (_name, value) => {
    const message = messageOf(value);
    expect(message.split('\n')).toHaveLength(6);
    expect(message.length).toBeLessThan(2_000);
  });

  it('does not repeat a key of any length', () => {
    const key = 'k'.repeat(100_000);
    expect(messageOf({ ...policy, [key]: 1 }).length).toBeLessThan(1_000);
    expect(messageOf({ ...policy, features: { [key]: { step: 'x' } } }).length).toBeLessThan(1_000);
  });
});
