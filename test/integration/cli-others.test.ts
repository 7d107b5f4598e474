import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isGroup } from '../../src/cli/command.js';
import { commands } from '../../src/cli/commands/index.js';
import { dispatch } from '../../src/cli/dispatch.js';
import { creditModel } from '../support/documents.js';
import { CREDIT, readLines, run, temporaryFolder, writeText } from './cli-process.js';
import { HEADER, MODEL } from './small-task.js';

describe('predict', () => {
  it('gives class and scores of every row, and a reason for bad ones', async () => {
    const folder = temporaryFolder();
    const model = writeText(folder, 'model.json', MODEL);
    const { code, stdout } = await run(
      ['predict', '--model', model, '--input', '-', '--output', '-'],
      `${HEADER}\na,1000,30,Köln\nb,5000,30,Paris\nc,many,30,Paris\n`,
    );
    expect(code).toBe(0);
    const [a, b, c] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([a.id, a.prediction, b.prediction, c.prediction]).toEqual(['a', 'no', 'yes', null]);
    expect(a.scores.yes).toBeCloseTo(1 / (1 + Math.exp(28)), 15);
    expect(a.scores.no + a.scores.yes).toBeCloseTo(1, 12);
    expect(c.reason.path).toBe('features.income');
    expect(c.reason.message).toBe('expected a finite number, got "many"');
  });

  it('gives the number for a regressor', async () => {
    const folder = temporaryFolder();
    const { classes: _, ...rest } = MODEL;
    const regressor = { ...rest, family: 'linear-regression', parameters: { weights: [2, 0, 0, 0], bias: 1 } };
    const model = writeText(folder, 'model.json', regressor);
    const { stdout } = await run(
      ['predict', '--model', model, '--input', '-', '--output', '-'],
      `${HEADER}\na,10,30,Köln\n`,
    );
    expect(JSON.parse(stdout)).toEqual({ id: 'a', prediction: 21, scores: {} });
  });
});

describe('models check', () => {
  it('says what a model is', async () => {
    const { code, stdout } = await run(['models', 'check', join(CREDIT, 'model.json')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/family +logistic-regression/);
    expect(stdout).toMatch(/probes +20 passed, largest difference/);
    expect(stdout).toMatch(/digest +sha256:[0-9a-f]{64}/);
  });

  it('warns of numbers without a range or statistics, and of features without effect', async () => {
    const { features, ...model } = creditModel();
    const more = [...features, { name: 'shoeSize', type: 'integer' }];
    const parameters = { ...model.parameters, weights: [...model.parameters.weights, 0] };
    const document = { ...model, features: more, parameters };
    const { code, stderr } = await run(['models', 'check', writeText(temporaryFolder(), 'm.json', document)]);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: 2 features (income, shoeSize) have no range');
    expect(stderr).toContain('warning: 3 features (age, income, shoeSize) have no statistics');
    expect(stderr).toContain('warning: 1 feature (shoeSize) changed no score that was tried');
  });

  it('speaks of one feature as of one, and of a model without probes', async () => {
    const path = writeText(temporaryFolder(), 'm.json', { ...creditModel(), probes: undefined });
    const { stdout, stderr } = await run(['models', 'check', path]);
    expect(stderr).toContain('warning: 1 feature (income) has no range');
    expect(stdout).toContain('no probes: the scores were not compared with the source library');
  });

  it('refuses one whose probes fail, with the row', async () => {
    const folder = temporaryFolder();
    const document = JSON.parse(readFileSync(join(CREDIT, 'model.json'), 'utf8'));
    document.probes.scores[3][0] += 0.01;
    const { code, stdout, stderr } = await run(['models', 'check', writeText(folder, 'm.json', document)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('model.probes.scores[3][0]');
  });
});

describe('demo', () => {
  it('explains the credit portfolio in a table and in words', async () => {
    const output = join(temporaryFolder(), 'results.ndjson');
    const { code, stdout } = await run(['demo', '--output', output]);
    expect(code).toBe(0);
    expect(stdout).toContain('3,000 rejected applicants');
    expect(stdout.match(/Applicant a-\d+ was rejected \(score 0\.\d\d+\)\./g)).toHaveLength(3);
    expect(stdout).toMatch(/It would have been\s+approved\s+\(0\.\d\d+\)\s+with:/);
    expect(readLines(output)).toHaveLength(3000);
  });
});

const paths = await Promise.all(
  commands.map(async ({ name, load }) => {
    const command = await load();
    return isGroup(command) ? command.commands.map((sub) => [name, sub.name]) : [[name]];
  }),
);

describe('help', () => {
  it.each(paths.flat().map((path) => [path.join(' '), path]))('%s has examples', async (_, path) => {
    const [said, complained] = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockReturnValue(true),
    );
    const code = await dispatch([...path, '--help']).finally(() => vi.restoreAllMocks());
    const [stdout, stderr] = [said, complained].map(({ mock }) => mock.calls.map(([text]) => text).join(''));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`elsewise ${path.join(' ')}`);
    expect(stdout).toContain('Examples:');
  });

  it('lists the commands, and a version', async () => {
    const { stdout } = await run(['--help']);
    for (const { name, summary } of commands) expect(stdout).toMatch(new RegExp(`${name} +${summary.slice(0, 10)}`));
    for (const flag of ['--version', '-v']) expect((await run([flag])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a wrong file or id', () => {
  async function refused(...args: string[]) {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const code = await dispatch(args).finally(() => vi.restoreAllMocks());
    return { code, stderr: said.mock.calls.map(([text]) => text).join('') };
  }

  it('is told with what to do', async () => {
    const folder = temporaryFolder();
    const empty = writeText(folder, 'empty.json', ' \n');
    const model = join(CREDIT, 'model.json');
    const explain = async (more: Record<string, string>) => {
      const options = { model, policy: join(CREDIT, 'policy.json'), input: join(CREDIT, 'applicants.csv'), ...more };
      const { code, stderr } = await run([
        'explain',
        ...Object.entries(options).flatMap(([key, value]) => [`--${key}`, value]),
      ]);
      return { code, stderr };
    };
    const of = (stderr: string) => ({ code: 2, stderr: expect.stringContaining(stderr) });
    expect(await refused('models', 'check', folder)).toEqual(of(`${folder}: is a folder: name a file`));
    expect(await refused('models', 'check', empty)).toEqual(of(`${empty}: is empty: expected a JSON document`));
    const nowhere = join(folder, 'none', 'out.ndjson');
    expect(await Promise.all([{ output: folder }, { output: nowhere }].map(explain))).toEqual([
      of(`cannot write ${folder}: this is a folder`),
      of(`cannot write ${nowhere}: the folder does not exist`),
    ]);
    expect(await refused('batch', 'status', 'nope')).toEqual(
      of('no batch "nope" is stored (or it has expired): elsewise batch list shows what is stored\n'),
    );
  });
});
