/** Candidates come out in the order in which a sort has them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RatioHeap } from '../../../src/solvers/linear/ratio-heap.js';

const ratio = fc.oneof(fc.constantFrom(0, 1, 2), fc.double({ min: 0, noNaN: true }));

it('gives candidates by ratio, equal ratios by variable', () => {
  const heap = new RatioHeap();
  heap.grow(40);
  const candidates = fc.array(fc.record({ ratio, isLeftOut: fc.boolean() }), { maxLength: 40 });
  fc.assert(
    fc.property(candidates, (list) => {
      const variables = Int32Array.from(list, (_, position) => (position * 17) % 41);
      const used = list.flatMap(({ isLeftOut }, position) => (isLeftOut ? [] : [position]));
      heap.clear(variables);
      for (const position of used) heap.add(position, list[position].ratio);
      heap.arrange();
      const order = [...used].sort((a, b) => list[a].ratio - list[b].ratio || variables[a] - variables[b]);
      expect(used.map(() => heap.pop())).toEqual(order);
      expect(heap.size).toBe(0);
    }),
  );
});
