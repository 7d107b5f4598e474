/** The example of neighbours and kernels: its commands run, and its files keep what its README promises. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ResultDocument, resultSchema } from '../../src/documents/result-document.js';
import { loadModel } from '../../src/models/load.js';
import { readLines, run, temporaryFolder } from './cli-process.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/neighbours/', import.meta.url));
const readJson = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

async function explain(model: string): Promise<ResultDocument[]> {
  const output = join(temporaryFolder(), 'results.ndjson');
  const [policy, input] = ['policy.json', 'applicants.csv'].map((name) => join(EXAMPLE, name));
  const files = ['--model', join(EXAMPLE, model), '--policy', policy, '--input', input, '--output', output];
  const { code, stderr } = await run(['explain', ...files, '--quiet']);
  expect([code, stderr]).toEqual([0, '']);
  return readLines(output).map((line) => resultSchema.parse(JSON.parse(line)));
}

describe('the example', () => {
  it.each(['neighbours.json', 'kernel.json'])('has the %s that its generator writes', (name) => {
    const folder = temporaryFolder();
    execFileSync(process.execPath, [join(EXAMPLE, 'generate.mjs'), folder]);
    expect(readJson(folder, name)).toEqual(readJson(EXAMPLE, name));
  });

  it.each([
    ['neighbours.json', 'neighbours', 'optimal'],
    ['kernel.json', 'lbfgs', 'heuristic'],
  ])('%s is answered by %s, with the proof %s', async (name, solver, kind) => {
    const results = await explain(name);
    const model = loadModel(readJson(EXAMPLE, name));
    const found = results.filter(({ status }) => status === 'found');
    expect(found.length).toBeGreaterThanOrEqual(3);
    for (const { counterfactuals } of found) {
      expect(counterfactuals[0]).toMatchObject({ solver, prediction: 'approved', proof: { kind } });
      expect(model.predict(counterfactuals[0].features).prediction).toBe('approved');
    }
  });
});
