/** ONNX files, written by hand and scored by a real runtime. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOAT, INT64, type OnnxNode, STRING, writeModel } from '../../../examples/onnx/onnx-writer.mjs';
import { loadModel } from '../../../src/models/load.js';
import type { AttemptReport } from '../../../src/scoring/attempt-report.js';
import { loadOnnxRuntime, RUNTIMES } from '../../../src/scoring/onnx/onnx-runtime.js';
import { OnnxScorer } from '../../../src/scoring/onnx/onnx-scorer.js';
import { openOnnx } from '../../../src/scoring/onnx/open-onnx.js';
import { TimeLimit } from '../../../src/scoring/onnx/time-limit.js';
import { openScorer } from '../../../src/scoring/open-scorer.js';
import { scoredModel } from '../../../src/scoring/point-scorer.js';
import { blackBoxDocument, openDocument } from '../../support/scorers/scorer-process.js';
import { settingsWith } from './settings.js';

const root = mkdtempSync(join(tmpdir(), 'elsewise-onnx-'));
const directory = join(root, 'models');
const here = loadModel(openDocument());

const WEIGHTS = [
  { name: 'w', shape: [5, 2], data: [0, 0.5, 0, 1, 0, 0, 0, 0.3, 0, -0.2] },
  { name: 'b', shape: [2], data: [0, -2.05] },
];
const OUTPUTS = [
  { name: 'label', type: INT64, shape: ['n'] },
  { name: 'probabilities', shape: ['n', 2] },
];
const HEADS: OnnxNode[] = [
  { type: 'Softmax', inputs: ['z'], outputs: ['probabilities'], attributes: { axis: 1 } },
  { type: 'ArgMax', inputs: ['z'], outputs: ['label'], attributes: { axis: 1, keepdims: 0 } },
];

/** All numbers of a row in one input. */
const table = writeModel({
  inputs: [{ name: 'input', type: FLOAT, shape: ['n', 5] }],
  nodes: [{ type: 'Gemm', inputs: ['input', 'w', 'b'], outputs: ['z'] }, ...HEADS],
  weights: WEIGHTS,
  outputs: OUTPUTS,
});

/** An input for each feature; the category is passed on without being read. */
const named = writeModel({
  inputs: [
    { name: 'a', shape: ['n', 1] },
    { name: 'b', shape: ['n', 1] },
    { name: 'c', type: STRING, shape: ['n', 1] },
  ],
  nodes: [
    { type: 'Concat', inputs: ['a', 'b'], outputs: ['x'], attributes: { axis: 1 } },
    { type: 'Gemm', inputs: ['x', 'w', 'bias'], outputs: ['z'] },
    { type: 'Identity', inputs: ['c'], outputs: ['same'] },
    ...HEADS,
  ],
  weights: [
    { name: 'w', shape: [2, 2], data: [0, 0.5, 0, 1] },
    { name: 'bias', shape: [2], data: [0, -2.05] },
  ],
  outputs: [...OUTPUTS, { name: 'same', type: STRING, shape: ['n', 1] }],
});

/** A hostile file: its weights lie in another file. */
const elsewhere = writeModel({
  inputs: [{ name: 'input', type: FLOAT, shape: ['n', 5] }],
  nodes: [{ type: 'Gemm', inputs: ['input', 'w', 'b'], outputs: ['z'] }, ...HEADS],
  weights: [{ ...WEIGHTS[0], location: 'weights.bin' }, WEIGHTS[1]],
  outputs: OUTPUTS,
});

/** A hostile file: millions of numbers for each row. */
const wide = writeModel({
  inputs: [{ name: 'input', type: FLOAT, shape: ['n', 5] }],
  nodes: [
    { type: 'Gemm', inputs: ['input', 'w', 'b'], outputs: ['z'] },
    { type: 'Expand', inputs: ['z', 'size'], outputs: ['probabilities'] },
  ],
  weights: [
    { name: 'w', shape: [5, 1], data: [0, 0.5, 0, 1, 0] },
    { name: 'b', shape: [1], data: [0] },
    { name: 'size', type: INT64, shape: [2], data: [1, 2_000_000] },
  ],
  outputs: [{ name: 'probabilities', shape: ['n', 'k'] }],
});

/** A file whose scores are no numbers. */
const none = writeModel({
  inputs: [{ name: 'input', type: FLOAT, shape: ['n', 5] }],
  nodes: [{ type: 'Gemm', inputs: ['input', 'w', 'b'], outputs: ['z'] }, ...HEADS],
  weights: [WEIGHTS[0], { ...WEIGHTS[1], data: [0, Number.NaN] }],
  outputs: OUTPUTS,
});

beforeAll(() => {
  mkdirSync(directory);
  mkdirSync(join(directory, 'folder'));
  writeFileSync(join(directory, 'elsewhere.onnx'), elsewhere);
  writeFileSync(join(directory, 'wide.onnx'), wide);
  writeFileSync(join(directory, 'none.onnx'), none);
  writeFileSync(join(directory, 'table.onnx'), table);
  writeFileSync(join(directory, 'named.onnx'), named);
  writeFileSync(join(directory, 'broken.onnx'), 'no model');
  writeFileSync(join(root, 'outside.onnx'), table);
  symlinkSync(join(root, 'outside.onnx'), join(directory, 'link.onnx'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

const SCORED = [
  { row: { a: 0, b: 0, c: 'x' }, input: [0, 0, 1, 0, 0] },
  { row: { a: 4, b: 0.7, c: 'y' }, input: [4, 0.7, 0, 1, 0] },
  { row: { a: 2, b: 1, c: 'z' }, input: [2, 1, 0, 0, 1] },
];

async function score(scorer: object, parameters: object = {}, count = SCORED.length, modelDirectory = directory) {
  const model = loadModel(blackBoxDocument({ type: 'onnx', output: 'probabilities', ...scorer }, { parameters }));
  const inputs = Array.from({ length: count }, (_, k) => Float64Array.from(SCORED[k % SCORED.length].input));
  return (await openScorer(model, settingsWith({ modelDirectory }))!.score(inputs)) as Float64Array[];
}

describe('an ONNX file', () => {
  it('gives the scores of its network', async () => {
    const scores = await score({ file: 'table.onnx' });
    for (const [k, { row }] of SCORED.entries()) expect(scores[k][1]).toBeCloseTo(here.predict(row).scores.yes, 6);
  });

  it('gives labels where these are the outputs', async () => {
    const scores = await score({ file: 'table.onnx', output: 'label' }, { outputs: 'labels' });
    expect(scores.map(([label]) => label)).toEqual([0, 1, 0]);
  });

  it('takes an input for each feature, categories as text', async () => {
    const [first] = await score({ file: 'named.onnx' });
    expect(first[1]).toBeCloseTo(1 / (1 + Math.exp(2.05)), 6);
  });

  it('is scored in parts of the batch size, with the same scores', async () => {
    const [parts, whole] = [
      await score({ file: 'table.onnx' }, { batchSize: 7 }, 2000),
      await score({ file: 'table.onnx' }, { batchSize: 10_000 }, 2000),
    ];
    expect(parts).toHaveLength(2000);
    expect(parts).toEqual(whole);
  });

  it('is the file that the document means', async () => {
    const sha256 = createHash('sha256').update(table).digest('hex');
    expect(await score({ file: 'table.onnx', sha256 })).toHaveLength(3);
    const other = score({ file: 'table.onnx', sha256: 'a'.repeat(64) });
    await expect(other).rejects.toMatchObject({ code: 'scorer-invalid', path: 'model.parameters.scorer.file' });
  });

  it('is read again when it was written again', async () => {
    const file = join(directory, 'changing.onnx');
    writeFileSync(file, table);
    const [before] = await score({ file: 'changing.onnx' });
    const weights = [WEIGHTS[0], { ...WEIGHTS[1], data: [0, 3] }];
    const nodes = [{ type: 'Gemm', inputs: ['input', 'w', 'b'], outputs: ['z'] }, ...HEADS];
    const inputs = [{ name: 'input', shape: ['rows', 5] }];
    writeFileSync(file, writeModel({ inputs, nodes, weights, outputs: OUTPUTS }));
    const [after] = await score({ file: 'changing.onnx' });
    expect(after[1]).toBeGreaterThan(before[1] + 0.5);
  });

  it.each([
    ['an absolute path', { file: '/etc/passwd' }],
    ['a path that climbs', { file: '../outside.onnx' }],
    ['a link that leads out', { file: 'link.onnx' }],
    ['a file that is not there', { file: 'missing.onnx' }],
    ['the directory itself', { file: '.' }],
    ['a directory', { file: 'folder' }],
    ['weights in another file, which the document does not name', { file: 'elsewhere.onnx' }],
  ])('is refused at %s', async (_, scorer) => {
    await expect(score(scorer)).rejects.toMatchObject({ code: 'scorer-refused' });
  });

  it('is refused where the operator names no directory', async () => {
    await expect(score({ file: 'table.onnx' }, {}, 1, '')).rejects.toThrow('ELSEWISE_SCORING_MODEL_DIRECTORY');
  });

  it.each([
    ['no network', { file: 'broken.onnx' }, 'cannot be loaded'],
    ['another output', { file: 'table.onnx', output: 'other' }, 'label, probabilities'],
  ])('is invalid with %s', async (_, scorer, words) => {
    const failed = score(scorer);
    await expect(failed).rejects.toMatchObject({ code: 'scorer-invalid' });
    await expect(failed).rejects.toThrow(words);
  });

  it('is invalid where it gives more numbers than a model has', async () => {
    await expect(score({ file: 'wide.onnx' })).rejects.toThrow('an output of shape [3, 2000000]');
  });

  it.each([
    ['scores', { file: 'table.onnx' }, 'ok'],
    ['scores that are no numbers', { file: 'none.onnx' }, 'number'],
    ['a file that is not there', { file: 'missing.onnx' }, 'refused'],
    ['no network', { file: 'broken.onnx' }, 'shape'],
    ['another SHA-256', { file: 'table.onnx', sha256: 'a'.repeat(64) }, 'version'],
  ])('tells metrics of %s', async (_, scorer, outcome) => {
    const reports: AttemptReport[] = [];
    const model = loadModel(blackBoxDocument({ type: 'onnx', output: 'probabilities', ...scorer }));
    const opened = openOnnx(scoredModel(model)!, directory, (report) => reports.push(report));
    await opened.score([Float64Array.of(0, 0, 1, 0, 0)]).catch(() => {});
    expect(reports).toEqual([{ host: 'onnx', seconds: expect.any(Number), points: 1, outcome }]);
  });

  it('for other features is invalid', async () => {
    const model = loadModel(
      blackBoxDocument(
        { type: 'onnx', file: 'table.onnx', output: 'probabilities' },
        { features: [{ name: 'a', type: 'integer' }], background: undefined },
      ),
    );
    const failed = openScorer(model, settingsWith({ modelDirectory: directory }))!.score([Float64Array.of(1)]);
    await expect(failed).rejects.toMatchObject({ code: 'scorer-invalid' });
  });

  it('gives the same scores by every runtime that is installed, but for rounding', async () => {
    const model = scoredModel(loadModel(blackBoxDocument({ type: 'onnx', file: '-', output: 'probabilities' })))!;
    const inputs = Array.from({ length: 100 }, (_, k) => Float64Array.of(k % 5, (k % 11) / 10, +(k % 3 === 0), 0, 1));
    const runtimes = RUNTIMES.filter((name) => isInstalled(name));
    expect(runtimes).toContain('onnxruntime-web');
    for (const name of runtimes) {
      const scorer = await OnnxScorer.open(model, table, loadOnnxRuntime([name]));
      for (const [k, score] of (await scorer.score(inputs)).entries()) {
        const [a, b, , , z] = inputs[k];
        const yes = 1 / (1 + Math.exp(2.05 - 0.5 * a - b + 0.2 * z));
        expect((score as Float64Array)[1]).toBeCloseTo(yes, 6);
      }
    }
  });

  it('without a runtime is one clear line', async () => {
    const failed = loadOnnxRuntime(['onnxruntime-that-nobody-has']);
    await expect(failed).rejects.toMatchObject({ code: 'scorer-refused' });
    await expect(failed).rejects.toThrow('npm install onnxruntime-node');
  });
});

describe('a batch in a native runtime', () => {
  it('is given up when its time is over, and no other one begins before it has ended', async () => {
    const limit = new TimeLimit(20);
    let end = (_: number) => {};
    const endless = limit.within(() => new Promise<number>((resolve) => (end = resolve)));
    await expect(endless).rejects.toMatchObject({ kind: 'timeout' });
    let begun = 0;
    const begin = async () => ++begun;
    await expect(limit.within(begin)).rejects.toMatchObject({ kind: 'timeout' });
    expect(begun).toBe(0);
    end(1);
    await new Promise((resolve) => setTimeout(resolve));
    expect(await limit.within(begin)).toBe(1);
  });
});
