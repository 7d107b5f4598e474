/** The example of a neural network: its command runs, every answer is proved, and its generator writes such a model again. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { resultSchema } from '../../src/documents/result-document.js';
import { loadModel } from '../../src/models/load.js';
import { readLines, run, temporaryFolder, withoutTimes } from './cli-process.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/network/', import.meta.url));
const inExample = (name: string) => join(EXAMPLE, name);
const python = process.env.PYTHON ?? 'python3';

async function explain(threads: number): Promise<string> {
  const output = join(temporaryFolder(), 'answers.ndjson');
  const files = [
    '--model',
    inExample('model.json'),
    '--policy',
    inExample('policy.json'),
    '--input',
    inExample('applicants.csv'),
  ];
  const { code, stderr } = await run([
    'explain',
    ...files,
    '--output',
    output,
    '--threads',
    String(threads),
    '--quiet',
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return output;
}

it('answers with a proof, as its README says, on any number of threads', async () => {
  const [one, two] = [await explain(1), await explain(2)];
  expect(withoutTimes(readFileSync(two, 'utf8'))).toBe(withoutTimes(readFileSync(one, 'utf8')));
  const results = readLines(one).map((line) => resultSchema.parse(JSON.parse(line)));
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['found', 'already']));
  const model = loadModel(JSON.parse(readFileSync(inExample('model.json'), 'utf8')));
  for (const { counterfactuals } of results)
    for (const { features, solver, proof } of counterfactuals) {
      expect([solver, proof.kind]).toEqual(['relu-phases', 'optimal']);
      expect(model.predict(features).prediction).toBe('approved');
    }
});

it('has a generator whose model passes its probes', async () => {
  const folder = temporaryFolder();
  execFileSync(python, [inExample('generate.py'), folder]);
  const { code, stdout } = await run(['models', 'check', join(folder, 'model.json')]);
  expect([code, stdout]).toMatchObject([0, expect.stringContaining('network-credit')]);
}, 120_000);
