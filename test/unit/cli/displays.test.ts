import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { wrap } from '../../../src/cli/demo-report.js';
import { ExamplePicker } from '../../../src/cli/example-picker.js';
import { describeProgress, showProgress } from '../../../src/cli/progress.js';
import { describeRun } from '../../../src/cli/summary.js';
import { formatTable } from '../../../src/cli/table.js';
import { createTally, type Tally } from '../../../src/jobs/results/tally.js';
import { countFaults, countReasons } from '../../../src/report/reason-counts.js';

function tallyWith(statuses: Record<string, number>): Tally {
  const rows = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return { ...createTally(), rows, statuses: new Map(Object.entries(statuses)) };
}

describe('progress', () => {
  it('goes by the bytes of the input', () => {
    const progress = { tally: tallyWith({ found: 2000 }), resumedRows: 0, bytesDone: 25, bytesTotal: 100 };
    expect(describeProgress(progress, 4000)).toBe('[######..................] 25 %  2,000 rows  500 rows/s  0:12 left');
  });

  it('fits narrow terminals, from the most to the least', () => {
    const tally = tallyWith({ found: 1_999_990, invalid: 10 });
    const progress = { tally, resumedRows: 0, bytesDone: 25, bytesTotal: 100 };
    for (const [columns, expected] of [
      [120, '[######..................] 25 %  2,000,000 rows  500,000 rows/s  0:12 left  10 invalid'],
      [80, '[##......] 25 %  2,000,000 rows  500,000 rows/s  0:12 left  10 invalid'],
      [60, '25 %  2,000,000 rows  500,000 rows/s  0:12 left  10 invalid'],
      [50, '25 %  2,000,000 rows  0:12 left  10 invalid'],
      [40, '25 %  2,000,000 rows  10 invalid'],
      [20, '25 %'],
      [3, '25'],
    ] as const)
      expect(describeProgress(progress, 4000, columns)).toBe(expected);
    const endless = { ...progress, bytesTotal: undefined };
    expect(describeProgress(endless, 4000, 40)).toBe('2,000,000 rows  10 invalid');
  });

  it('asks the terminal for its width', async () => {
    const written: string[] = [];
    const stream = { isTTY: true, columns: 40, write: (text: string) => written.push(text) };
    const display = showProgress(false, stream as unknown as NodeJS.WriteStream);
    await sleep(110);
    display.update({ tally: tallyWith({ found: 2_000_000 }), resumedRows: 0, bytesDone: 25, bytesTotal: 100 });
    const [line] = written.map((text) => text.replace('\r\x1b[2K', ''));
    expect(line).toMatch(/^25 % {2}2,000,000 rows {2}\d:\d\d left$/);
  });

  it('estimates the time left without the rows of an earlier run', () => {
    const progress = {
      tally: tallyWith({ found: 10 }),
      resumedRows: 90,
      bytesDone: 95,
      bytesTotal: 100,
      bytesSkipped: 90,
    };
    expect(describeProgress(progress, 4000)).toContain('95 %  10 rows  3 rows/s  0:04 left');
  });

  it('does without a size, and tells of invalid rows', () => {
    const progress = {
      tally: tallyWith({ found: 9, invalid: 1 }),
      resumedRows: 0,
      bytesDone: 25,
      bytesTotal: undefined,
    };
    expect(describeProgress(progress, 1000)).toBe('10 rows  10 rows/s  1 invalid');
  });
});

describe('the summary', () => {
  it('counts by status', () => {
    const tally = tallyWith({ invalid: 1, found: 1999 });
    tally.proofs.set('optimal', 1999);
    const text = describeRun({ tally, resumedRows: 0, interrupted: false, elapsedMs: 2000 });
    expect(text).toBe(`2,000 rows in 2.0 s (1,000 rows/s)
  found    1,999  99.9 %  100.0 % proved optimal
  invalid      1   0.1 %
`);
  });

  it('tells the three commonest reasons of rows without an answer, by kind', () => {
    const tally = tallyWith({ invalid: 1001, infeasible: 2 });
    for (let row = 0; row < 1000; row++)
      countFaults(tally.reasons, [{ path: 'a', message: `expected x, got "${row}"` }]);
    countFaults(
      tally.reasons,
      ['b', 'c', 'd'].map((path) => ({ path, message: 'is\x1b[2J\nmissing' })),
    );
    const blocked = { code: 'infeasible', message: 'without y', blocking: ['features.a.max', 'maxChanges'] };
    for (const message of ['without x', 'without y'])
      countReasons(tally.reasons, 'infeasible', { ...blocked, message });
    const text = describeRun({ tally, resumedRows: 0, interrupted: false, elapsedMs: 1000 });
    expect(text).toContain(`  invalid, the commonest reasons:
    1,000  a: expected x, got "0"
        1  b: is\\x1b[2J missing
        1  c: is\\x1b[2J missing
    and 1 other reason
  infeasible, the commonest reasons:
    2  blocked by features.a.max, maxChanges
`);
  });

  it('says how to go on', () => {
    const text = describeRun({ tally: createTally(), resumedRows: 5, interrupted: true, elapsedMs: 1 });
    expect(text).toContain('after 5 that were done before, then interrupted: --resume goes on from here');
  });
});

describe('text', () => {
  it('stands in columns', () => {
    expect(
      formatTable(
        [
          ['a', '1'],
          ['bb', '10'],
        ],
        ['left', 'right'],
      ),
    ).toBe('  a    1\n  bb  10');
  });

  it('is broken between words', () => {
    expect(wrap('one two three', 10)).toBe('  one two\n  three');
    expect(wrap('unbreakable-word x', 5)).toBe('  unbreakable-word\n  x');
  });
});

describe('picked examples', () => {
  const found = (id: string, ...to: (number | string)[]) => ({
    id,
    status: 'found',
    counterfactuals: [{ changes: to.map((value) => ({ feature: 'f', from: 0, to: value })) }],
  });
  const pick = (...results: object[]) => {
    const picker = new ExamplePicker();
    for (const result of results) picker.look(Buffer.from(`${JSON.stringify(result)}\n`));
    return picker.picked.map(({ id }) => id);
  };

  it('each show something else', () => {
    const infeasible = { id: 'none', status: 'infeasible', counterfactuals: [] };
    expect(pick(found('a', 1), found('b', 1), infeasible, found('c', 1, 'rent'))).toEqual(['a', 'c', 'none']);
  });

  it('are made up for by others', () => {
    expect(pick(found('a', 1), found('b', 1), found('c', 1, 2), found('d', 2))).toEqual(['a', 'b', 'c']);
  });
});
