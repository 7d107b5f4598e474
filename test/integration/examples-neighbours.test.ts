/** The example of neighbours and kernels: its commands run, and its files keep what its README promises. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/models/load.js';
import { explainExample, resultsOf, temporaryFolder } from './cli-process.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/neighbours/', import.meta.url));
const readJson = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const explain = async (model: string) => resultsOf(await explainExample(EXAMPLE, { model }));

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
