import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultSchema } from '../../src/documents/result-document.js';
import { here, readLines, run, start, temporaryFolder, withoutTimes, writeText } from './cli-process.js';
import { HEADER, MODEL, POLICY, rowLine, rowsCsv } from './small-task.js';

interface Task {
  readonly folder: string;
  readonly output: string;
  readonly args: string[];
}

const USUAL = { input: 'rows.csv', output: 'results.ndjson', threads: 1 };

function task(rows: string | Buffer = rowsCsv(20), changes: Partial<typeof USUAL> = {}): Task {
  const { input, output, threads } = { ...USUAL, ...changes };
  const folder = temporaryFolder();
  const model = writeText(folder, 'model.json', MODEL);
  const policy = writeText(folder, 'policy.json', POLICY);
  const files = ['--input', writeText(folder, input, rows), '--output', join(folder, output)];
  const args = ['explain', '--model', model, '--policy', policy, ...files, '--threads', String(threads)];
  return { folder, output: join(folder, output), args };
}

const withoutPolicy = (args: readonly string[]) =>
  args.filter((_, i) => args[i] !== '--policy' && args[i - 1] !== '--policy');

const results = (path: string) => readLines(path).map((line) => resultSchema.parse(JSON.parse(line)));

describe('explain', () => {
  it('answers every row in order, over many chunks', async () => {
    const { args, output } = task(rowsCsv(5000), { threads: 2 });
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('5,000 rows in');
    const found = results(output);
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 5000 }, (_, i) => `r-${i + 1}`));
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['found']));
  });

  it('gives the same bytes on any number of threads', async () => {
    const one = task(rowsCsv(2000));
    const three = task(rowsCsv(2000), { threads: 3 });
    await Promise.all([run(one.args), run(three.args)]);
    const text = (path: string) => withoutTimes(readFileSync(path, 'utf8'));
    expect(text(three.output)).toBe(text(one.output));
  });

  it('reads standard input and writes standard output, and nothing else there', async () => {
    const { args } = task();
    const piped = args.map((arg) => (/rows.csv|results.ndjson/.test(arg) ? '-' : arg));
    const lines = [
      { id: 'a', features: { income: 1000, age: 30, city: 'Köln' } },
      { id: 'b', income: 1000, age: 30, city: 'Paris', target: { from: 0.9 } },
    ].map((row) => JSON.stringify(row));
    const { code, stdout } = await run(piped, lines.join('\r\n'));
    expect(code).toBe(0);
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => resultSchema.parse(JSON.parse(line)));
    expect(found.map(({ id, target }) => [id, target])).toEqual([
      ['a', 'yes'],
      ['b', { from: 0.9 }],
    ]);
    expect(found[1].counterfactuals[0].score).toBeGreaterThanOrEqual(0.9);
  });

  it('says which choices the policy left to the background, and takes them back', async () => {
    const { folder, args, output } = task(rowsCsv(1));
    const background = { mad: { income: 900, age: 9 }, quantiles: { income: [0, 9000], age: [18, 80] } };
    const features = MODEL.features.map((feature) => ({ ...feature, min: undefined, max: undefined }));
    writeText(folder, 'model.json', { ...MODEL, features, background });
    const told = await here(args);
    expect(told.stderr).toContain('Answers stay within the range of the background. --unbounded permits other values.');
    expect(told.stderr).toContain('The cost is in units of the median absolute deviation.');
    expect(results(output)[0].defaults).toEqual({ bounds: 'background', weights: 'mad' });
    const free = await here([...args, '--unbounded', '--weights', 'none']);
    expect(free.stderr).not.toMatch(/background|deviation/);
    expect(results(output)[0].defaults).toBeUndefined();
  });

  it('is silent when asked to', async () => {
    expect(await here([...task().args, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('writes a table when the name ends in .csv', async () => {
    const { args, output } = task(rowsCsv(2), { output: 'results.csv' });
    expect((await here(args)).code).toBe(0);
    const [header, first] = readLines(output);
    expect(header).toBe(
      'id,status,answer,prediction,score,newPrediction,newScore,cost,proof,gap,changes,reason,income,income (new),age,city,plan',
    );
    expect(first).toMatch(
      /^r-1,found,1,no,[\d.e-]+,yes,[\d.]+,[\d.]+,optimal,0,income from 1001 to ([\d.]+),,1001,\1,19,Köln,[0-9a-f]{16}$/,
    );
  });

  it('lets options go over the policy, and a row over the options', async () => {
    const { args, output } = task(`${HEADER},target\na,1000,30,Köln,no\nb,1000,30,Köln,\n`);
    const overrides = ['--target', '{"to": 0.2}', '--norm', 'l2', '--seed', '9', '--deadline-ms', '50', '--count', '2'];
    expect((await here([...args, ...overrides])).code).toBe(0);
    const [own, other] = results(output);
    expect([own.target, other.target, own.seed]).toEqual(['no', { to: 0.2 }, 9]);
  });

  it('tells once that a column of targets replaces the target of the run', async () => {
    const told = 'the column target gives rows their own target, in place of yes';
    const labels = 'a,1000,30,Köln,no\nb,1000,30,Köln,\nc,1000,30,Köln,yes\n';
    const table = task(`${HEADER},target\n${labels}`);
    const { stderr } = await here([...table.args, '--target', 'yes']);
    expect(stderr.split(told)).toHaveLength(2);
    expect(stderr).toContain('(1 of the first 2 with a target have another, such as no); rename or remove');
    expect((await here(withoutPolicy(table.args))).stderr).not.toContain('the column target');
    const row = { income: 1000, age: 30, city: 'Köln' };
    const flat = task(`${JSON.stringify({ ...row, target: 'no' })}\n`, { input: 'rows.ndjson' });
    expect((await here([...flat.args, '--target', 'yes'])).stderr).toContain(told);
    const apart = task(`${JSON.stringify({ features: row, target: 'no' })}\n`, { input: 'rows.ndjson' });
    expect((await here([...apart.args, '--target', 'yes'])).stderr).not.toContain(told);
  });

  it('refuses a run without any target before its first row', async () => {
    for (const rows of [rowsCsv(20), JSON.stringify({ income: 1000, age: 30, city: 'Köln' })]) {
      const { args, output } = task(rows, { input: rows.startsWith('{') ? 'rows.ndjson' : 'rows.csv' });
      const { code, stderr } = await here(withoutPolicy(args));
      expect(code).toBe(2);
      expect(stderr).toContain('no target is named: give --target T');
      expect(stderr).toContain('the classes of the model are no, yes');
      expect(stderr).not.toMatch(/The policy has no/);
      expect(existsSync(output)).toBe(false);
    }
  });

  it('takes the targets of rows alone', async () => {
    const table = task(`${HEADER},target\na,1000,30,Köln,yes\nb,1000,30,Köln,\n`);
    expect((await here(withoutPolicy(table.args))).code).toBe(0);
    expect(results(table.output).map(({ status, reason }) => [status, reason?.path])).toEqual([
      ['found', undefined],
      ['invalid', 'target'],
    ]);
    const row = JSON.stringify({ income: 1000, age: 30, city: 'Köln', target: 'yes' });
    const lines = task(`\n${row}\n`, { input: 'rows.ndjson' });
    expect((await here(withoutPolicy(lines.args))).code).toBe(0);
    expect(results(lines.output)).toMatchObject([{ status: 'found' }]);
  });

  it('tells all faults of each row, and the commonest of the run', async () => {
    const bad = 'a,much,30.5,Berlin\nb,more,31,Köln\nc,,32,Köln\n';
    const { args, output } = task(`${HEADER}\n${bad}d,1000,30,Köln\n`);
    const { code, stderr } = await here(args);
    expect(code).toBe(0);
    const [first, second] = results(output);
    expect(first.reason?.faults?.map(({ path }) => path)).toEqual(['features.income', 'features.age', 'features.city']);
    expect(second.reason).not.toHaveProperty('faults');
    expect(stderr).toMatch(
      /invalid, the commonest reasons:\n {4}2 {2}features.income: expected a finite number, got "much"/,
    );
    expect(stderr).toContain('and 1 other reason');
  });

  it('ends with code 4 and the commonest reasons when every row is invalid', async () => {
    const { args } = task(`${HEADER}\na,much,30,Köln\nb,more,30,Köln\n`);
    const reason = '2  features.income: expected a finite number, got "much"';
    const told = await here(args);
    expect(told.code).toBe(4);
    expect(told.stderr).toContain('every row is invalid');
    expect(told.stderr.split(reason)).toHaveLength(2);
    const quiet = await here([...args, '--quiet']);
    expect(quiet.code).toBe(4);
    expect(quiet.stderr).toContain(reason);
    const at = args.indexOf('--policy');
    const predicted = await here(['predict', ...args.slice(1).toSpliced(at - 1, 2)]);
    expect(predicted.code).toBe(4);
    expect(predicted.stderr).toContain(reason);
  });

  it('stops reading when nobody reads any more', async () => {
    const { args } = task(rowsCsv(20_000));
    const { child, finished } = start(
      args.map((arg) => (arg.endsWith('results.ndjson') ? '-' : arg)),
      '',
    );
    child.stdout!.once('data', () => child.stdout!.destroy());
    expect((await finished).code).toBe(0);
  });
});

describe('bad rows', () => {
  it('each get an invalid line, and the others their answer', async () => {
    const lines = [
      rowLine(1),
      'short,1',
      'wrong,many,30,Köln',
      'unknown,1000,30,Rom',
      'broken,1000,30,"Köln',
      'fraction,1000,30.5,Köln',
      '"quoted, with comma",1000,30,Köln',
      'empty,,30,Köln',
      rowLine(2),
    ];
    const notUtf8 = Buffer.concat([
      Buffer.from(`${HEADER}\n${lines.join('\n')}\nlatin,1000,30,K`),
      Buffer.from([0xf6, 0x0a]),
    ]);
    const { args, output } = task(notUtf8);
    const { code, stderr } = await here(args);
    expect(code).toBe(0);
    expect(stderr).toMatch(/invalid +7/);
    const found = results(output);
    expect(found.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'r-1 found',
      'short invalid',
      'wrong invalid',
      'unknown invalid',
      'broken invalid',
      'fraction invalid',
      'quoted, with comma found',
      'empty invalid',
      'r-2 found',
      'latin invalid',
    ]);
    expect(found.find(({ id }) => id === 'wrong')?.reason?.path).toBe('features.income');
  });

  it('of NDJSON as well, however long', async () => {
    const lines = [
      '{"id":"a","income":1000,"age":30,"city":"Köln"}',
      '{"id":',
      `{"id":"${'x'.repeat(2 << 20)}"}`,
      '[]',
    ];
    const { args, output } = task(`${[...lines, lines[0]].join('\n')}`, { input: 'rows.ndjson' });
    expect((await here(args)).code).toBe(0);
    expect(results(output).map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a found',
      'row-2 invalid',
      'row-3 invalid',
      'row-4 invalid',
      'a found',
    ]);
  });
});

describe('bad usage ends with 2, a message, and nothing written', () => {
  const withArgs = (t: Task, ...more: string[]) => [...t.args, ...more];
  const replaced = (t: Task, option: string, value: string) =>
    t.args.map((arg, i) => (t.args[i - 1] === option ? value : arg));

  it.each<[string, (t: Task) => string[], RegExp]>([
    ['a model that is not there', (t) => replaced(t, '--model', 'none.json'), /none.json: no such file/],
    ['a model that is no JSON', (t) => replaced(t, '--model', writeText(t.folder, 'm.json', '{')), /not valid JSON/],
    [
      'a bad model',
      (t) => replaced(t, '--model', writeText(t.folder, 'm.json', { ...MODEL, family: 'x' })),
      /model.family/,
    ],
    [
      'a bad policy',
      (t) => replaced(t, '--policy', writeText(t.folder, 'p.json', { ...POLICY, maxChange: 1 })),
      /did you mean "maxChanges"/,
    ],
    [
      'a policy for another model',
      (t) => replaced(t, '--policy', writeText(t.folder, 'p.json', { ...POLICY, features: { agee: {} } })),
      /agee/,
    ],
    ['an unknown class', (t) => withArgs(t, '--target', 'yess'), /did you mean "yes"/],
    ['an input that is not there', (t) => replaced(t, '--input', 'none.csv'), /none.csv: no such file/],
    ['an input that is a folder', (t) => replaced(t, '--input', t.folder), /is a folder/],
    [
      'a header without a feature',
      (t) => replaced(t, '--input', writeText(t.folder, 'i.csv', 'id,incme,age,city\n')),
      /"income".*"incme"/,
    ],
    ['an empty input', (t) => replaced(t, '--input', writeText(t.folder, 'i.csv', '')), /empty/],
    ['an unknown option', (t) => withArgs(t, '--threds', '2'), /did you mean "--threads"/],
    ['an unknown command', () => ['explian'], /did you mean "explain"/],
    ['--resume without a file', (t) => [...replaced(t, '--output', '-'), '--resume'], /--resume needs an output file/],
  ])('%s', async (_, makeArgs, message) => {
    const t = task();
    const { code, stdout, stderr } = await here(makeArgs(t));
    expect(stderr).toMatch(message);
    expect({ code, stdout, written: existsSync(t.output) }).toEqual({ code: 2, stdout: '', written: false });
  });

  it('leaves an output of before alone', async () => {
    const t = task('id,age\n');
    writeFileSync(t.output, 'precious\n');
    expect((await here(t.args)).code).toBe(2);
    expect(readFileSync(t.output, 'utf8')).toBe('precious\n');
  });

  it('does not write over its own input', async () => {
    const t = task();
    const input = join(t.folder, 'rows.csv');
    expect((await here(replaced(t, '--output', input))).stderr).toContain('are the same file');
    expect(readFileSync(input, 'utf8')).toBe(rowsCsv(20));
  });
});

describe('an output that cannot go on', () => {
  it('ends the run as an interruption does', async () => {
    const { code, stderr } = await run(task().args.map((arg) => (arg.endsWith('results.ndjson') ? '/dev/full' : arg)));
    expect(code).toBe(130);
    expect(stderr).toContain('cannot write /dev/full any further: ENOSPC');
  });
});

describe('memory', () => {
  it('does not grow with the rows', async () => {
    const t = task(rowsCsv(100_000), { threads: 2 });
    const report = 'process.on("exit", () => process.stderr.write("@" + process.resourceUsage().maxRSS))';
    const module = writeText(t.folder, 'report.mjs', report);
    const previous = process.env.NODE_OPTIONS;
    process.env.NODE_OPTIONS = `--import ${module}`;
    const { code, stderr } = await here([...t.args, '--quiet']).finally(() => {
      if (previous === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = previous;
    });
    expect(code).toBe(0);
    expect(Number(stderr.slice(stderr.lastIndexOf('@') + 1)) / 1024).toBeLessThan(400);
    expect(readLines(t.output)).toHaveLength(100_000);
  });
});
