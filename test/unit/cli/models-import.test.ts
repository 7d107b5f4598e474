import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { importModel } from '../../../src/cli/commands/registry/models-import.js';
import { readArguments } from '../../../src/cli/options.js';
import { loadModel } from '../../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'elsewise-import-'));
const output = join(folder, 'out.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(output, { force: true }));

/** a <= 0.5 ? -1 : 2 */
const MODEL = `tree
num_class=1
num_tree_per_iteration=1
objective=regression
feature_names=a

Tree=0
num_leaves=2
split_feature=0
threshold=0.5
decision_type=8
left_child=-1
right_child=-2
leaf_value=-1 2

end of trees
`;

function write(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function run(...args: string[]) {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const input = readArguments([...args, '--output', output], importModel.options, importModel.positionals ?? []);
    const code = await importModel.run(input);
    return { code, message: said.mock.calls.join('') };
  } finally {
    said.mockRestore();
  }
}

const readOutput = () => JSON.parse(readFileSync(output, 'utf8'));

describe('models import', () => {
  it('writes a document that loads, named like the file', async () => {
    const { code, message } = await run(write('credit risk.v2.txt', MODEL), '--from', 'lightgbm');
    expect(code).toBe(0);
    expect(message).toContain('credit-risk, 1 tree, 1 feature; no background; no probes');
    expect(readOutput().name).toBe('credit-risk');
    expect(loadModel(readOutput()).predict({ a: 1 }).prediction).toBe(2);
  });

  it('takes a name', async () => {
    await run(write('m.txt', MODEL), '--from', 'lightgbm', '--name', 'credit');
    expect(readOutput().name).toBe('credit');
  });

  it('adds probes in the precision of the library', async () => {
    const probes = write('probes.json', { rows: [[0], [1]], scores: [[-1], [2]] });
    const { message } = await run(write('m.txt', MODEL), '--from', 'lightgbm', '--probes', probes);
    expect(message).toContain('2 probes passed');
    expect(readOutput().probes).toEqual({ rows: [[0], [1]], scores: [[-1], [2]], precision: 'float64' });
  });

  it.each<[string, string | object, RegExp]>([
    ['that fail', { rows: [[0]], scores: [[5]] }, /model\.probes\.scores\[0\]\[0\]: the model gives -1/],
    ['with an unknown key', { rows: [], scores: [], score: [] }, /score: unknown key/],
    ['that are no JSON', 'rows', /not valid JSON/],
  ])('writes nothing for probes %s', async (_, probes, message) => {
    const path = write('probes.json', probes);
    await expect(run(write('m.txt', MODEL), '--from', 'lightgbm', '--probes', path)).rejects.toThrow(message);
    expect(existsSync(output)).toBe(false);
  });

  it('says when the file is not there, or of another library', async () => {
    await expect(run(join(folder, 'none'), '--from', 'xgboost')).rejects.toThrow(/no such file/);
    await expect(run(write('m.txt', MODEL), '--from', 'xgboost')).rejects.toThrow(/neither JSON nor UBJSON/);
  });
});
