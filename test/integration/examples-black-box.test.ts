/** The examples of black boxes as their pages show them: an ONNX file, and a scorer in Python's standard library. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readLines, start, temporaryFolder, writeText } from './cli-process.js';

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** The commands of the page. */
async function checkAndExplain(folder: string, model: string, env: NodeJS.ProcessEnv) {
  const output = `${temporaryFolder()}/results.ndjson`;
  const checked = await start(['models', 'check', model], '', env).finished;
  expect(checked.stderr).toBe('');
  const documents = ['--model', model, '--policy', example(`${folder}/policy.json`)];
  const files = ['--input', example(`${folder}/applicants.csv`), '--output', output];
  const { code, stderr } = await start(['explain', ...documents, ...files], '', env).finished;
  expect(code, stderr).toBe(0);
  return { checked, results: readLines(output).map((line) => JSON.parse(line)) };
}

function expectProved(results: readonly { status: string; counterfactuals: { proof: { kind: string } }[] }[]): void {
  expect(results).toHaveLength(40);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['found', 'already']));
  for (const { counterfactuals } of results)
    for (const { proof } of counterfactuals) expect(proof.kind).toBe('optimal');
}

describe('examples/onnx', () => {
  it('is explained as its page says', async () => {
    const env = { ELSEWISE_SCORING_MODEL_DIRECTORY: example('onnx') };
    const { checked, results } = await checkAndExplain('onnx', example('onnx/model.json'), env);
    expect(checked.stdout).toContain('5 passed');
    expectProved(results);
  });
});

describe('examples/scorer', () => {
  it('is explained as its page says', async () => {
    const child = spawn('python3', [example('scorer/scorer.py'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill());
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
    const { host, href } = new URL(line.trim().split(' ').at(-1)!);
    const document = JSON.parse(readFileSync(example('scorer/model.json'), 'utf8'));
    document.parameters.scorer.url = href; // any free port
    const model = writeText(temporaryFolder(), 'model.json', document);
    const env = { ELSEWISE_SCORING_HOSTS: host, ELSEWISE_SCORING_PRIVATE_ADDRESSES: 'true' };
    const { checked, results } = await checkAndExplain('scorer', model, env);
    expect(checked.stdout).toContain('5 passed');
    expectProved(results);
  });
});
