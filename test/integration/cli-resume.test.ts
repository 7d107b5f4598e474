import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { here, type Running, readLines, run, start, temporaryFolder, withoutTimes, writeText } from './cli-process.js';
import { HEADER, MODEL, POLICY, rowsCsv } from './small-task.js';

/** Enough that a run is under way for long after its first lines. */
const ROWS = 6_000;

interface Task {
  readonly folder: string;
  args(output: string, ...more: string[]): string[];
}

function task(rows = rowsCsv(ROWS), threads = 2): Task {
  const folder = temporaryFolder();
  const model = writeText(folder, 'model.json', MODEL);
  const policy = writeText(folder, 'policy.json', POLICY);
  const input = writeText(folder, 'rows.csv', rows);
  const fixed = ['explain', '--model', model, '--policy', policy, '--input', input, '--threads', String(threads)];
  return { folder, args: (output, ...more) => [...fixed, '--output', output, ...more] };
}

async function untilWritten(path: string, bytes: number): Promise<void> {
  while (!existsSync(path) || statSync(path).size < bytes) await sleep(5);
}

async function interrupt({ child, finished }: Running, output: string, signal: NodeJS.Signals) {
  await untilWritten(output, 20_000);
  child.kill(signal);
  return finished;
}

const text = (path: string) => withoutTimes(readFileSync(path, 'utf8'));

describe('an interrupted run', () => {
  it.each<[NodeJS.Signals, string]>([
    ['SIGINT', 'results.ndjson'],
    ['SIGTERM', 'results.csv'],
  ])('by %s keeps whole lines, and --resume ends with the same file', async (signal, name) => {
    const { folder, args } = task();
    const [whole, cut] = [join(folder, `whole-${name}`), join(folder, name)];
    expect((await run(args(whole))).code).toBe(0);
    const { code, stderr } = await interrupt(start(args(cut)), cut, signal);
    expect(code).toBe(130);
    expect(stderr).toContain('then interrupted: --resume goes on from here');
    const kept = readFileSync(cut, 'utf8');
    expect(kept.endsWith('\n')).toBe(true);
    expect(kept.length).toBeLessThan(statSync(whole).size);
    const resumed = await run(args(cut, '--resume'));
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toMatch(/after [\d,]+ that were done before/);
    expect(text(cut)).toBe(text(whole));
  });

  it.each(['full', 'brief'])('that was killed leaves a torn line, which is made good: %s', async (detail) => {
    const { folder, args } = task(rowsCsv(3000));
    const [whole, cut] = [join(folder, 'whole.ndjson'), join(folder, 'cut.ndjson')];
    const more = ['--detail', detail];
    await Promise.all([run(args(whole, ...more)), run(args(cut, ...more))]);
    truncateSync(cut, Math.floor(statSync(cut).size / 2));
    expect((await run(args(cut, '--resume', ...more))).code).toBe(0);
    expect(text(cut)).toBe(text(whole));
  });

  it('that was killed between the answers of one row is made good', async () => {
    const { folder, args } = task(rowsCsv(40), 1);
    const [whole, cut] = [join(folder, 'whole.csv'), join(folder, 'cut.csv')];
    const policy = writeText(folder, 'free.json', { ...POLICY, features: {}, count: 2 });
    const free = (output: string) => args(output).map((arg) => (arg.endsWith('policy.json') ? policy : arg));
    await Promise.all([run(free(whole)), run(free(cut))]);
    const lines = readFileSync(whole, 'utf8').split('\n');
    const second = lines.findIndex((line, i) => i > 20 && line.split(',')[2] === '2');
    writeText(folder, 'cut.csv', `${lines.slice(0, second).join('\n')}\n`);
    expect((await run([...free(cut), '--resume'])).code).toBe(0);
    expect(readFileSync(cut, 'utf8')).toBe(lines.join('\n'));
  });

  it.each(['cut.ndjson', 'cut.csv'])('does not continue another file without a line end: %s', async (name) => {
    const { folder, args } = task(rowsCsv(3), 1);
    const output = writeText(folder, name, 'hello');
    const { code, stderr } = await run(args(output, '--resume'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be resumed: it has no results')]);
    expect(readFileSync(output, 'utf8')).toBe('hello');
    const whole = join(folder, `whole-${name}`);
    await run(args(whole));
    writeText(folder, name, readFileSync(whole).subarray(0, 20));
    expect((await run(args(output, '--resume'))).code).toBe(0);
    expect(text(output)).toBe(text(whole));
  });

  it('while it waits for input ends at once', async () => {
    const { folder, args } = task();
    const output = join(folder, 'out.ndjson');
    const { child, finished } = start(args(output).map((arg) => (arg.endsWith('rows.csv') ? '-' : arg)));
    child.stdin!.write(rowsCsv(300)); // more lines than the format of a table is detected by
    await untilWritten(output, 0);
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
  });
});

describe('--resume', () => {
  it('starts from the beginning when there is nothing yet', async () => {
    const { folder, args } = task(rowsCsv(50), 1);
    const output = join(folder, 'new.ndjson');
    expect((await here(args(output, '--resume'))).code).toBe(0);
    expect(readLines(output)).toHaveLength(50);
  });

  it('has nothing to do when everything is done', async () => {
    const { folder, args } = task(rowsCsv(50), 1);
    const output = join(folder, 'done.csv');
    await here(args(output));
    const before = readFileSync(output, 'utf8');
    expect((await here(args(output, '--resume'))).code).toBe(0);
    expect(readFileSync(output, 'utf8')).toBe(before);
  });

  it.each<[string, string[], (folder: string) => void, RegExp]>([
    ['another policy', ['--count', '2'], () => {}, /made with another model, policy or option/],
    [
      'another input',
      [],
      (folder) => writeText(folder, 'rows.csv', `${HEADER}\n${'x,1000,30,Köln\n'.repeat(60)}`),
      /is "x" in the input and "r-50"/,
    ],
    ['a shorter input', [], (folder) => writeText(folder, 'rows.csv', rowsCsv(10)), /has 50 rows, the input only 10/],
    [
      'an output of something else',
      [],
      (folder) => appendFileSync(join(folder, 'out.ndjson'), 'hello\n'),
      /last line is no result/,
    ],
  ])('refuses %s, and changes nothing', async (_, more, change, message) => {
    const { folder, args } = task(rowsCsv(50), 1);
    const output = join(folder, 'out.ndjson');
    await here(args(output));
    change(folder);
    const before = readFileSync(output, 'utf8');
    const { code, stderr } = await here(args(output, '--resume', ...more));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(readFileSync(output, 'utf8')).toBe(before);
  });

  it.each(['out.csv', 'out.ndjson'])('counts the rows of %s, and compares its last row', async (name) => {
    const { folder, args } = task(rowsCsv(10), 1);
    const output = join(folder, name);
    await here(args(output));
    const before = readFileSync(output, 'utf8');
    const refused = async (input: string) => {
      writeText(folder, 'rows.csv', input);
      const { code, stderr } = await here(args(output, '--resume'));
      expect(code).toBe(2);
      expect(readFileSync(output, 'utf8')).toBe(before);
      return stderr;
    };
    const lines = rowsCsv(11).trimEnd().split('\n');
    expect(await refused(rowsCsv(9))).toContain('the output has 10 rows, the input only 9');
    const last = lines.toSpliced(10, 1).join('\n');
    expect(await refused(last)).toContain('row 10 is "r-11" in the input and "r-10" in the output');
  });
});
