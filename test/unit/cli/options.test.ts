import { describe, expect, it } from 'vitest';
import { BULK_OPTIONS } from '../../../src/cli/bulk-options.js';
import { createUp } from '../../../src/cli/commands/up.js';
import { worker } from '../../../src/cli/commands/worker.js';
import { describeOptions, type OptionTable, readArguments } from '../../../src/cli/options.js';
import { MOST_THREADS } from '../../../src/config.js';

const TABLE = {
  model: { kind: 'text', value: 'FILE', required: true, help: 'the model' },
  target: { kind: 'text', value: 'T', help: 'the target' },
  threads: { kind: 'whole', value: 'N', min: 1, max: 512, help: 'threads' },
  'deadline-ms': { kind: 'number', value: 'N', min: 1, help: 'time' },
  norm: { kind: 'choice', choices: ['l1', 'l2'], help: 'the norm' },
  quiet: { kind: 'flag', help: 'silence' },
} as const satisfies OptionTable;

const read = (...args: string[]) => readArguments(args, TABLE, []).options;

describe('options', () => {
  it('bound the threads of every command that starts some', () => {
    const args = ['--threads', String(MOST_THREADS + 1)];
    for (const table of [BULK_OPTIONS, worker.options, createUp(true).options] as OptionTable[])
      expect(() => readArguments(args, { threads: table.threads }, [])).toThrow(`expected ${MOST_THREADS} or less`);
  });

  it('are read by their kind', () => {
    const args = ['--model', 'm.json', '--threads', '4', '--deadline-ms=1.5', '--norm', 'l2', '--quiet'];
    expect(read(...args)).toEqual({
      model: 'm.json',
      target: undefined,
      threads: 4,
      'deadline-ms': 1.5,
      norm: 'l2',
      quiet: true,
    });
  });

  it('take - and negative numbers for values', () => {
    expect(read('--model', '-', '--target', '-5')).toMatchObject({ model: '-', target: '-5' });
  });

  it.each([
    [[], '--model FILE is missing'],
    [['--modle', 'x'], 'unknown option --modle, did you mean "--model"?'],
    [['-m', 'x'], 'unknown option -m'],
    [['--constructor', 'x'], 'unknown option --constructor'],
    [['--model'], '--model needs a value: FILE'],
    [['--model', '--quiet'], '--model needs a value: FILE'],
    [['--model', ''], '--model needs a value: FILE'],
    [['--model', 'a', '--model', 'b'], '--model is given twice'],
    [['--model', 'a', 'b'], 'unexpected argument "b"'],
    [['--model', 'a', '--quiet=yes'], '--quiet takes no value'],
    [['--model', 'a', '--threads', 'two'], '--threads: expected a whole number, got "two"'],
    [['--model', 'a', '--threads', '1.5'], '--threads: expected a whole number, got "1.5"'],
    [['--model', 'a', '--threads', '0'], '--threads: expected 1 or more, got 0'],
    [['--model', 'a', '--threads', '99999'], '--threads: expected 512 or less, got 99999'],
    [['--model', 'a', '--norm', 'L1'], '--norm: "L1" is none of l1, l2, did you mean "l1"?'],
  ])('%j are refused', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  it('are all named where several are missing', () => {
    const needed = { kind: 'text', value: 'FILE', required: true, help: '' } as const;
    const table = { model: needed, input: needed, output: needed, quiet: { kind: 'flag', help: '' } } as const;
    expect(() => readArguments([], table, [])).toThrow('--model FILE, --input FILE and --output FILE are missing');
    expect(() => readArguments(['--input', 'a'], table, [])).toThrow('--model FILE and --output FILE are missing');
  });

  it('leave arguments without a dash to their names', () => {
    expect(readArguments(['a.json'], {}, ['FILE']).positionals).toEqual(['a.json']);
    expect(() => readArguments([], {}, ['FILE'])).toThrow('FILE is missing');
  });

  it('describe themselves', () => {
    expect(describeOptions(TABLE)[0]).toBe('  --model FILE     the model (required)');
  });
});
