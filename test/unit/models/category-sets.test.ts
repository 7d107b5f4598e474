/** Sets of categories as flat arrays, against the sets that they stand for. */
import { describe, expect, it } from 'vitest';
import { categoriesOf, hasSets, isInSet, joinSets, layOutSets } from '../../../src/models/trees/category-sets.js';
import { Dice } from '../../support/dice.js';

const dice = new Dice(5);
const drawCodes = () => Array.from({ length: dice.integer(0, 40) }, () => dice.integer(0, 60));
const drawSets = () => Array.from({ length: 30 }, () => (dice.chance(0.3) ? null : drawCodes()));

function expectSame(flat: ReturnType<typeof layOutSets>, sets: readonly (number[] | null)[]): void {
  for (const [node, codes] of sets.entries()) {
    expect(flat.set[node] >= 0).toBe(codes !== null);
    if (!codes) continue;
    for (const input of [-1, -0, 0.5, 1e300, ...Array(62).keys()])
      expect(isInSet(flat, flat.set[node], input)).toBe(new Set(codes).has(input));
  }
}

describe('sets of categories', () => {
  it('have the members that they were given, in any order and also twice', () => {
    const sets = drawSets();
    expectSame(layOutSets(sets), sets);
  });

  it('may be empty, which is not the same as none', () => {
    const flat = layOutSets([undefined, [], null]);
    expect([...flat.set]).toEqual([-1, 0, -1]);
    expect(isInSet(flat, 0, 0)).toBe(false);
    expect([hasSets(flat), hasSets(layOutSets([null]))]).toEqual([true, false]);
  });

  it('take a huge code for one of many', () => {
    const flat = layOutSets([[Number.MAX_SAFE_INTEGER, 3]]);
    expect([...categoriesOf(flat, 0)]).toEqual([3, Number.MAX_SAFE_INTEGER]);
    expect(isInSet(flat, 0, Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(flat.category.byteLength).toBe(16);
  });

  it('stay what they are when two forests become one', () => {
    const [a, b] = [drawSets(), drawSets()];
    expectSame(joinSets(layOutSets(a), layOutSets(b)), [...a, ...b]);
    expectSame(joinSets(layOutSets([null]), layOutSets(b)), [null, ...b]);
  });
});
