/** `elsewise report` as a process: files, exit codes, bytes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { briefLines, population } from '../unit/report/people-results.js';
import { CREDIT, here, run, start, temporaryFolder } from './cli-process.js';

const lines = (n: number): string =>
  population(n)
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');

function files(text: string | Buffer): { results: string; report: string } {
  const folder = temporaryFolder();
  const [results, report] = [join(folder, 'results.ndjson'), join(folder, 'report.html')];
  writeFileSync(results, text);
  return { results, report };
}

const EPOCH = { SOURCE_DATE_EPOCH: '1768471200' };

describe('report', () => {
  it('writes the same file from a file and from standard input, at a stated time', async () => {
    const { results, report } = files(lines(400));
    const args = ['--by', 'housing, age', '--quiet', '--output'];
    expect(await start(['report', results, ...args, report], '', EPOCH).finished).toMatchObject({
      code: 0,
      stderr: '',
    });
    const html = readFileSync(report, 'utf8');
    const piped = await start(['report', '-', ...args, '-'], lines(400), EPOCH).finished;
    expect(piped.stdout.replaceAll('standard input', 'results.ndjson')).toBe(html);
    expect(html).toContain('2026-01-15 10:00 UTC');
    expect(html).toContain('By housing');
  });

  it('reads the results of the demo with labels and rules', async () => {
    const folder = temporaryFolder();
    const [model, policy] = ['model.json', 'policy-simple.json'].map((name) => join(CREDIT, name));
    const head = readFileSync(join(CREDIT, 'applicants.csv'), 'utf8').split('\n').slice(0, 60).join('\n');
    const results = join(folder, 'results.ndjson');
    const explain = ['explain', '--model', model, '--policy', policy, '--input', '-', '--output', results, '--quiet'];
    expect(await run(explain, head)).toMatchObject({ code: 0 });
    const report = ['report', results, '--model', model, '--policy', policy, '--output', '-'];
    const { code, stdout, stderr } = await run(report);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^59 results, a report of \d+ kB\n$/);
    expect(stdout).toContain('EUR/month');
  });

  it('tells when model or policy are not those of the results', async () => {
    const { results, report } = files(lines(5));
    const [model, policy] = ['model.json', 'policy.json'].map((name) => join(CREDIT, name));
    const { stderr } = await here(['report', results, '--output', report, '--model', model, '--policy', policy]);
    expect(stderr).toContain('the results come from another model than --model');
    expect(stderr).toContain('the results come from another policy than --policy');
  });

  it('names the line of a broken result, and writes nothing', async () => {
    const { results, report } = files(`${lines(3)}\n\n{"schema":"elsewise.result/v1"}\n`);
    const { code, stderr } = await here(['report', results, '--output', report]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${results}, line 6: this is a broken result: \`model\` is missing or does not fit`);
    expect(() => readFileSync(report)).toThrow('ENOENT');
  });

  it('takes line ends of other systems, and a last line without an end', async () => {
    const { results, report } = files(`\ufeff${lines(3).replaceAll('\n', '\r\n').trimEnd()}`);
    expect(await here(['report', results, '--output', report])).toMatchObject({ code: 0 });
    expect(readFileSync(report, 'utf8')).toContain('All 3 people.');
  });

  it.each([
    ['report', ['--output', 'report.html']],
    ['verify', ['--model', join(CREDIT, 'model.json'), '--policy', join(CREDIT, 'policy.json')]],
    ['letters', ['--model', join(CREDIT, 'model.json'), '--language', 'en', '--output', 'letters']],
  ])('is refused where the file has no results, as in %s', async (command, options) => {
    const { results } = files('');
    const { code, stderr } = await here([command, results, ...options]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${results}: has no results`) });
  });

  it.each([
    [
      'brief results in groups',
      briefLines(population(2)).join(''),
      ['--by', 'age'],
      'line 2: a brief result has no values of features',
    ],
    ['a compressed file', Buffer.from([0x1f, 0x8b, 8, 0]), [], 'the file is compressed: unpack it first'],
    ['a Parquet file', 'PAR1....', [], 'the file is Parquet'],
    ['CSV', 'id,status\n', [], 'line 1: this is no JSON'],
    ['an empty name', '', ['--by', 'age,'], '--by: expected names of features'],
  ] as const)('refuses %s', async (_name, text, args, message) => {
    const { results, report } = files(text);
    const { code, stderr } = await here(['report', results, '--output', report, ...args]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('refuses to overwrite the results, and a time that is none', async () => {
    const { results, report } = files(lines(2));
    expect(await here(['report', results, '--output', results])).toMatchObject({ code: 2 });
    expect(readFileSync(results, 'utf8')).toBe(lines(2));
    const wrong = await start(['report', results, '--output', report], '', { SOURCE_DATE_EPOCH: 'soon' }).finished;
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('SOURCE_DATE_EPOCH') });
  });
});
