/** Rules of the format, and files that nobody should write. Files of the libraries: libraries.test.ts. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importOnnx } from '../../../src/formats/onnx/onnx.js';
import { ElsewiseError, loadModel } from '../../../src/index.js';
import { nextDown, nextUp } from '../../../src/linalg/floats.js';
import { chunk, type GraphForm, int, type NodeForm, onnxFile } from '../../support/onnx-writer.js';

const LINEAR: NodeForm = {
  operator: 'LinearRegressor',
  name: 'last',
  inputs: ['x'],
  outputs: ['y'],
  attributes: { coefficients: { floats: [2, -1] }, intercepts: { floats: [0.5] } },
};

/** Children by node; a leaf is a number. */
function trees(
  nodes: readonly ([column: number, mode: string, value: number, yes: number, no: number] | number)[],
  input = 'x',
): NodeForm {
  const splits = nodes.map((own) => (typeof own === 'number' ? ([0, 'LEAF', 0, 0, 0] as const) : own));
  const leaves = nodes.flatMap((own, n) => (typeof own === 'number' ? [{ n, weight: own }] : []));
  return {
    operator: 'TreeEnsembleRegressor',
    name: 'trees',
    domain: 'ai.onnx.ml',
    inputs: [input],
    outputs: ['y'],
    attributes: {
      n_targets: 1,
      nodes_treeids: nodes.map(() => 0),
      nodes_nodeids: [...nodes.keys()],
      nodes_featureids: splits.map(([column]) => column),
      nodes_modes: splits.map(([, mode]) => mode),
      nodes_values: { floats: splits.map(([, , value]) => value) },
      nodes_truenodeids: splits.map(([, , , yes]) => yes),
      nodes_falsenodeids: splits.map(([, , , , no]) => no),
      target_treeids: leaves.map(() => 0),
      target_nodeids: leaves.map(({ n }) => n),
      target_ids: leaves.map(() => 0),
      target_weights: { floats: leaves.map(({ weight }) => weight) },
    },
  };
}

const stump = (mode: string, value: number, input?: string) => trees([[0, mode, value, 1, 2], 1, 0], input);
const read = (form: Partial<GraphForm>) => importOnnx(onnxFile({ nodes: [LINEAR], outputs: ['y'], ...form }));
const predict = (form: Partial<GraphForm>, ...row: (number | null)[]) => {
  const document = read(form);
  return loadModel(document).predict(Object.fromEntries(document.features.map(({ name }, f) => [name, row[f] ?? null])))
    .prediction;
};

function faultOf(form: Partial<GraphForm> | Uint8Array): ElsewiseError {
  try {
    loadModel(form instanceof Uint8Array ? importOnnx(form) : read(form));
  } catch (error) {
    if (error instanceof ElsewiseError) return error;
    throw error;
  }
  throw new Error('the file is a model');
}

describe('a graph', () => {
  it('is a function of the columns', () => {
    expect(predict({}, 3, 1)).toBe(5.5);
  });

  it('may be longer than the stack of calls', () => {
    const nodes = Array.from({ length: 20_000 }, (_, k) => ({
      operator: 'Identity',
      inputs: [k ? `v${k}` : 'x'],
      outputs: [`v${k + 1}`],
    }));
    expect(predict({ nodes: [...nodes, { ...LINEAR, inputs: ['v20000'] }] }, 3, 1)).toBe(5.5);
  });

  it.each<[string, Partial<GraphForm>, RegExp]>([
    [
      'an unknown operator',
      { nodes: [{ operator: 'Frob', inputs: ['x'], outputs: ['y'] }] },
      /node\[0\]: .*operator Frob; .*black box/,
    ],
    [
      'an unknown attribute',
      { nodes: [{ ...LINEAR, attributes: { ...LINEAR.attributes, frob: 1 } }] },
      /node\[0\]\.frob: .*LinearRegressor \("last"\).*attribute frob/,
    ],
    ['a foreign domain', { nodes: [{ ...LINEAR, domain: 'com.example' }] }, /LinearRegressor of com\.example/],
    [
      'a circle',
      {
        nodes: [
          { operator: 'Identity', inputs: ['b'], outputs: ['a'] },
          { operator: 'Identity', inputs: ['a'], outputs: ['b'] },
        ],
        outputs: ['a'],
      },
      /depends on itself/,
    ],
    ['an edge from nowhere', { nodes: [{ ...LINEAR, inputs: ['z'] }] }, /no node or input "z"/],
    ['an edge made twice', { nodes: [LINEAR, LINEAR] }, /"y" is made twice/],
    ['no scores', { outputs: [] }, /0 outputs/],
    ['a row without end', { inputs: [['x', 1e12]] }, /more than 100000 columns/],
    ['a row of unknown length', { inputs: [['x', 0]] }, /no fixed number of columns/],
    [
      'the norm of a row',
      {
        nodes: [
          { operator: 'Normalizer', inputs: ['x'], outputs: ['n'], attributes: { norm: 'L2' } },
          { ...LINEAR, inputs: ['n'] },
        ],
      },
      /Normalizer.*norm L2/,
    ],
    [
      'a tensor that is too short',
      { constants: [{ name: 'w', dims: [1e9, 1e9], floats: [1] }] },
      /another number of entries/,
    ],
    [
      'outputs without number',
      { nodes: [{ ...LINEAR, attributes: { ...LINEAR.attributes, targets: 1e12 } }] },
      /coefficients/,
    ],
    [
      'targets without number',
      { nodes: [{ ...stump('BRANCH_LEQ', 1), attributes: { ...stump('BRANCH_LEQ', 1).attributes, n_targets: 1e12 } }] },
      /outputs of 2 leaves/,
    ],
  ])('with %s is refused', (_, form, message) => {
    expect(faultOf(form).message).toMatch(message);
  });

  it('that doubles its columns again and again is refused soon', () => {
    const nodes = Array.from({ length: 50 }, (_, k) => ({
      operator: 'Concat',
      inputs: [k ? `v${k}` : 'x', k ? `v${k}` : 'x'],
      outputs: [`v${k + 1}`],
      attributes: { axis: 1 },
    }));
    expect(faultOf({ nodes: [...nodes, { ...LINEAR, inputs: ['v50'] }] }).message).toMatch(/so many numbers/);
  });

  it('may have any names', () => {
    const nodes = [
      { operator: 'Identity', inputs: ['x'], outputs: ['__proto__'] },
      { ...LINEAR, inputs: ['__proto__'], outputs: ['constructor'] },
    ];
    expect(predict({ nodes, outputs: ['constructor'] }, 3, 1)).toBe(5.5);
    expect(faultOf({ nodes: [{ ...LINEAR, operator: '__proto__' }] }).message).toMatch(/operator __proto__/);
    expect(
      faultOf({
        inputs: [
          ['__proto__', 1],
          ['x', 2],
        ],
      }).message,
    ).toMatch(/cannot be used/);
  });
});

describe('bytes', () => {
  it.each<[string, Uint8Array, RegExp]>([
    ['a text', new TextEncoder().encode('{"learner": {}}'), /no ONNX file/],
    ['no graph', Uint8Array.from(int(1, 8)), /has no graph/],
    ['a length beyond the file', Uint8Array.from([58, 255, 255, 255, 255, 15]), /beyond its end/],
    ['a negative length', Uint8Array.from([58, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), /beyond its end/],
    ['a number without end', Uint8Array.from([8, ...Array(11).fill(255)]), /more than 10 bytes/],
    ['a field 0', Uint8Array.from([0, 1]), /no field 0/],
    ['a group', Uint8Array.from([11]), /kind/],
    ['a text that is not UTF-8', Uint8Array.from(chunk(7, chunk(1, chunk(4, [255])))), /UTF-8/],
  ])('with %s are refused', (_, bytes, message) => {
    expect(faultOf(bytes).message).toMatch(message);
  });
});

describe('trees', () => {
  it.each<[string, number | null, number]>([
    ['BRANCH_LEQ', 2.5, 1],
    ['BRANCH_LT', 2.5, 0],
    ['BRANCH_LT', 2.4999997, 1],
    ['BRANCH_LT', 2.4999999, 0],
    ['BRANCH_GTE', 2.5, 1],
    ['BRANCH_GT', 2.5, 0],
    ['BRANCH_GT', 2.5000003, 1],
    ['BRANCH_EQ', 2.5, 1],
    ['BRANCH_EQ', 2.5000001, 1],
    ['BRANCH_EQ', 2.5000003, 0],
    ['BRANCH_NEQ', 2.5, 0],
    ['BRANCH_NEQ', 2.4999997, 1],
    ['BRANCH_LEQ', null, 0],
    ['BRANCH_NEQ', null, 1],
  ])('%s 2.5 of %s is %s', (mode, x, leaf) => {
    expect(predict({ nodes: [stump(mode, 2.5)] }, x, 0)).toBe(leaf);
  });

  it('compare behind a scaling as 32 bits do, up to the last number', () => {
    const single = fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(-1e6), max: Math.fround(1e6) });
    const factor = fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(0.001), max: 1000 });
    fc.assert(
      fc.property(
        single,
        factor,
        fc.boolean(),
        single,
        fc.constantFrom('LEQ', 'LT', 'GTE', 'GT'),
        (offset, size, isFalling, value, mode) => {
          const scale = isFalling ? -size : size;
          const nodes = [
            {
              operator: 'Scaler',
              inputs: ['x'],
              outputs: ['s'],
              attributes: { offset: { floats: [offset] }, scale: { floats: [scale] } },
            },
            stump(`BRANCH_${mode}`, value, 's'),
          ];
          const document = read({ nodes, inputs: [['x', 1]] });
          const model = loadModel(document);
          const [tree] = document.parameters.trees as { threshold: number[] }[];
          const end = tree.threshold[0];
          for (const x of [end, nextUp(end), nextDown(end), Math.fround(end), offset, value]) {
            const scaled = Math.fround(Math.fround(Math.fround(x) - offset) * scale);
            const holds = { LEQ: scaled <= value, LT: scaled < value, GTE: scaled >= value, GT: scaled > value }[mode]!;
            expect(model.predict({ f0: x }).prediction).toBe(+holds);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each<[string, NodeForm, RegExp]>([
    ['a node that is its own child', trees([[0, 'BRANCH_LEQ', 1, 0, 1], 1]), /two parents/],
    [
      'a node with two parents',
      trees([
        [0, 'BRANCH_LEQ', 1, 1, 2],
        [0, 'BRANCH_LEQ', 0, 3, 4],
        [0, 'BRANCH_LEQ', 2, 3, 5],
        [1, 'BRANCH_LEQ', 2, 4, 5],
        1,
        2,
      ]),
      /two parents/,
    ],
    [
      'a circle of =',
      trees([[0, 'BRANCH_LEQ', 1, 1, 4], [0, 'BRANCH_EQ', 1, 4, 2], [0, 'BRANCH_EQ', 2, 4, 1], 1, 2]),
      /two parents/,
    ],
    ['a child that does not exist', trees([[0, 'BRANCH_LEQ', 1, 1, 7], 1]), /no node 7/],
    ['a column that does not exist', trees([[5, 'BRANCH_LEQ', 1, 1, 2], 1, 0]), /no column 5/],
    ['an unknown mode', trees([[0, 'BRANCH_ODD', 1, 1, 2], 1, 0]), /BRANCH_ODD/],
    ['no nodes', trees([]), /no trees/],
    [
      'a path without end',
      trees([
        ...Array.from(
          { length: 3000 },
          (_, n) => [0, 'BRANCH_LEQ', n, n + 1, 3001 + n] as [number, string, number, number, number],
        ),
        ...Array<number>(3001).fill(1),
      ]),
      /more than 1000 levels/,
    ],
  ])('with %s are refused', (_, node, message) => {
    expect(faultOf({ nodes: [node] }).message).toMatch(message);
  });

  it('of shares have a threshold of one half', () => {
    const file = new URL('../../fixtures/libraries/onnx-newest/forest.onnx.gz', import.meta.url);
    const { model } = loadModel(importOnnx(gunzipSync(readFileSync(file))));
    expect(model.thresholds).toEqual([0.5, 0.5]);
  });

  it('keep chains of = with one true branch as a set of codes', () => {
    const node = trees([[0, 'BRANCH_EQ', 3, 4, 1], [0, 'BRANCH_EQ', 0, 4, 2], [0, 'BRANCH_EQ', 5, 4, 3], 7, 9]);
    const document = read({ nodes: [node] });
    expect(document.features[0]).toMatchObject({ type: 'categorical', categories: ['0', '1', '2', '3', '4', '5'] });
    const values = [0, 1, 2, 3, 4, 5, null].map((code) => predict({ nodes: [node] }, code, 0));
    expect(values).toEqual([9, 7, 7, 9, 7, 9, 7]);
  });
});
