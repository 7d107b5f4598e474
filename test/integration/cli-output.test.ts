/** Outputs that cannot be written: what is lost is said, and the exit code tells. Only a reader that leaves (EPIPE) is no error. */
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CREDIT, run, temporaryFolder } from './cli-process.js';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const DOCUMENTS = ['--model', join(CREDIT, 'model.json'), '--input', join(CREDIT, 'applicants.csv')];
const PREDICT = ['predict', ...DOCUMENTS, '--threads', '1', '--quiet', '--output', '-'];
const EXPLAIN = ['explain', ...DOCUMENTS, '--policy', join(CREDIT, 'policy-simple.json'), ...PREDICT.slice(-5)];

/** The command in a shell, with what comes before and after it. */
function inShell(
  args: readonly string[],
  after: string,
  before = '',
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn('sh', ['-c', `${before} exec "$0" "$@" ${after}`, process.execPath, CLI, ...args]);
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stderr })));
}

describe('standard output on a full disk', () => {
  it.each([
    ['explain', EXPLAIN],
    ['predict', PREDICT],
    ['help', ['--help']],
    ['version', ['--version']],
  ] as const)('ends %s with a message and a code', async (_name, args) => {
    const { code, stderr } = await inShell(args, '> /dev/full');
    expect(stderr).toContain('cannot write standard output any further: ENOSPC');
    expect(code).toBe(130);
  });

  it('is noticed also when the disk takes the first part of a piece', async () => {
    const file = join(temporaryFolder(), 'table.ndjson');
    const { code, stderr } = await inShell(PREDICT, `> ${file}`, 'ulimit -f 20;');
    expect(stderr).toContain('cannot write standard output any further: EFBIG');
    expect(code).toBe(130);
    expect(statSync(file).size).toBe(20 * 512);
    const help = await inShell(['explain', '--help'], `> ${file}`, 'ulimit -f 1;');
    expect(help).toMatchObject({ code: 130, stderr: expect.stringContaining('EFBIG') });
  });

  it('is whole where there is room', async () => {
    const file = join(temporaryFolder(), 'all.ndjson');
    expect(await inShell(PREDICT, `> ${file}`)).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toBe((await run(PREDICT)).stdout);
  });
});

describe('a reader that leaves', () => {
  it('ends the command quietly', async () => {
    const child = spawn(process.execPath, [CLI, ...PREDICT]);
    child.stdout.once('data', () => child.stdout.destroy());
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(stderr).toBe('');
  });
});

describe('standard error on a full disk', () => {
  it('changes neither the results nor the code', async () => {
    const output = join(temporaryFolder(), 'scores.ndjson');
    const args = ['predict', ...DOCUMENTS, '--threads', '1', '--output', output];
    expect((await inShell(args, '2> /dev/full')).code).toBe(0);
    expect(readFileSync(output, 'utf8')).toBe((await run(PREDICT)).stdout);
    expect((await inShell(['no-such-command'], '2> /dev/full')).code).toBe(2);
  });
});

describe('a document that is written', () => {
  const importing = (output: string) => {
    const dump = fileURLToPath(new URL('../fixtures/forests/xgboost-multi.json', import.meta.url));
    return run(['models', 'import', dump, '--from', 'xgboost', '--output', output]);
  };

  it('is said to be missing when it cannot be', async () => {
    expect(await importing('/dev/full')).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('cannot write /dev/full any further: ENOSPC'),
    });
    expect(await importing('/no/such/folder/model.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot write /no/such/folder/model.json'),
    });
  });
});
