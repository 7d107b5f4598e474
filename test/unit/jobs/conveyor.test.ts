import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Conveyor } from '../../../src/jobs/bulk/conveyor.js';

describe('a conveyor', () => {
  it('keeps the order and never holds more than it may', async () => {
    const conveyor = new Conveyor<number>(3);
    let put = 0;
    const filling = (async () => {
      for (let i = 0; i < 20; i++) {
        await conveyor.put(i);
        put++;
      }
      conveyor.end();
    })();
    const seen: number[] = [];
    for await (const item of conveyor) {
      seen.push(item);
      await nextTurn();
      expect(put - seen.length).toBeLessThanOrEqual(3);
    }
    await filling;
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('takes nothing once it is ended, and gives out what it has', async () => {
    const conveyor = new Conveyor<string>(1);
    await conveyor.put('a');
    const refused = conveyor.put('b');
    conveyor.end();
    expect(await refused).toBe(false);
    const seen = [];
    for await (const item of conveyor) seen.push(item);
    expect(seen).toEqual(['a']);
  });
});
