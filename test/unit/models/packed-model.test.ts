/** A model that went to another thread says and explains what the original does, to the byte, with the same memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FeatureDocument, RowValue } from '../../../src/documents/model-document.js';
import { prepare } from '../../../src/explain/plan.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { type PackedModel, packModel, unpackModel } from '../../../src/models/packed-model.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Dice } from '../../support/dice.js';
import { randomModel, randomValue } from '../../support/random-models.js';

const FIXTURES = new URL('../../fixtures/forests/', import.meta.url);
const FAMILIES = [
  'decision-tree',
  'tree-ensemble',
  'isolation-forest',
  'additive',
  'softmax-regression',
  'knn',
  'kernel-svm',
];

/** As a thread gets it: the document as JSON, the shared parts by structured clone. */
function send(packed: PackedModel): PackedModel {
  const { parts, ...rest } = packed;
  return { ...(JSON.parse(JSON.stringify(rest)) as Omit<PackedModel, 'parts'>), parts: structuredClone(parts) };
}

const sent = (model: LoadedModel): LoadedModel => unpackModel(send(packModel(model)));

function drawRow(dice: Dice, features: readonly FeatureDocument[]): Record<string, RowValue> {
  return Object.fromEntries(
    features.map((feature) => {
      const { type, min = -5, max = min + 40 } = { min: undefined, max: undefined, ...feature };
      if (type === 'integer') return [feature.name, dice.integer(min, max)];
      return [feature.name, type === 'continuous' ? dice.between(min, max) : randomValue(dice, feature)];
    }),
  );
}

async function explainAll(model: LoadedModel, more: object, rows: readonly Record<string, RowValue>[]) {
  const target = model.classes.length ? {} : { target: { from: 0.5 } };
  const policy = loadPolicy({ schema: 'elsewise.policy/v1', effort: 5000, ...target, ...more });
  const plan = await prepare(model, policy, { now: () => 0 });
  const asked = model.classes.length ? { target: model.classes.at(-1) } : {};
  return rows.map((features, r) => JSON.stringify(plan.explain({ id: `r-${r}`, features, ...asked })));
}

describe.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.model.json')))('%s', (name) => {
  it('scores alike once it is packed', () => {
    const model = loadModel(JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8')));
    const other = sent(model);
    const dice = new Dice(1);
    for (let r = 0; r < 50; r++) {
      const row = drawRow(dice, model.document.features);
      expect(JSON.stringify(other.predict(row))).toBe(JSON.stringify(model.predict(row)));
    }
  });
});

describe.each(FAMILIES)('random %s', (family) => {
  it('scores and explains alike once it is packed', async () => {
    const dice = new Dice(7);
    const seen = new Set<string>();
    for (let round = 0; round < 25; round++) {
      const { document } = randomModel(dice, family);
      const model = loadModel(document);
      const other = sent(model);
      const rows = Array.from({ length: 3 }, () => drawRow(dice, document.features));
      expect(rows.map((row) => other.predict(row))).toEqual(rows.map((row) => model.predict(row)));
      expect(await explainAll(other, {}, rows)).toEqual(await explainAll(model, {}, rows));
      seen.add(String(model.document.parameters.aggregation ?? '') + ('treeClass' in model.document.parameters));
    }
    if (family === 'tree-ensemble') expect([...seen].sort()).toEqual(['meanfalse', 'sumfalse', 'sumtrue', 'votefalse']);
  });
});

const STUMP = { feature: [0, 0, 0], threshold: [0, 0, 0], left: [1, -1, -1], right: [2, -1, -1] };
const VOTES = {
  schema: 'elsewise.model/v1',
  name: 'votes',
  family: 'tree-ensemble',
  features: ['a', 'b'].map((name) => ({ name, type: 'continuous', min: -5, max: 5 })),
  classes: ['no', 'yes'],
  parameters: {
    trees: [
      {
        ...STUMP,
        value: [
          [0, 1],
          [3, 1],
          [1, 3],
        ],
      },
    ],
    aggregation: 'vote',
  },
  background: {
    isolationForest: {
      trees: [{ ...STUMP, feature: [1, 0, 0], value: [[0], [0.4], [1.6]], missing: 'left' }],
      offset: -0.5,
    },
  },
};

describe('a packed model', () => {
  const model = loadModel(VOTES);
  const packed = send(packModel(model));

  it('has no trees in its document, and the digest and version that it had', () => {
    expect(packed.document.parameters).toEqual({ aggregation: 'vote' });
    expect(packed.document.background).toEqual({});
    const other = unpackModel(send(packModel(loadModel(VOTES, { version: 7 }))));
    expect(other).toMatchObject({ digest: model.digest, version: 7, name: 'votes' });
  });

  it('uses the memory of the original, of the model and of the background', () => {
    const own = loadModel(VOTES);
    const other = sent(own);
    own.model.forest!.threshold[0] = 4;
    own.background.isolationForest!.forest.value[1] = 9;
    expect(other.model.forest!.threshold[0]).toBe(4);
    expect(other.background.isolationForest!.forest.value[1]).toBe(9);
  });

  it('shares the weights of a softmax regression and the samples of its background by name', () => {
    const own = loadModel({
      ...VOTES,
      family: 'softmax-regression',
      parameters: {
        weights: [
          [1, 2],
          [3, 4],
        ],
        bias: [0, 1],
      },
      background: {
        samples: [
          [1, 2],
          [null, 4],
        ],
        labels: ['no', 'yes'],
      },
    });
    const packed = packModel(own);
    expect(packed.document.parameters).toEqual({ bias: [0, 1] });
    expect(packed.document.background).toEqual({ labels: ['no', 'yes'] });
    const other = sent(own);
    expect(other.background.samples.map((row) => [...row])).toEqual([
      [1, 2],
      [Number.NaN, 4],
    ]);
    (own.model.shared!.weights as Float64Array)[3] = 40;
    own.background.samples[0][1] = 7;
    expect(other.predict({ a: 0, b: 1 })).toEqual(own.predict({ a: 0, b: 1 }));
    expect(other.predict({ a: 0, b: 1 }).scores.yes).toBeGreaterThan(0.999);
    expect(other.background.samples[0][1]).toBe(7);
  });

  it('counts votes once, however often it is sent on', () => {
    const leaves = [...model.model.forest!.value];
    const twice = sent(sent(model));
    expect([...twice.model.forest!.value]).toEqual(leaves);
    expect(twice.predict({ a: 1, b: 0 })).toEqual(model.predict({ a: 1, b: 0 }));
  });

  it('explains alike with the isolation forest that the background brought', async () => {
    const more = { plausibility: { method: 'isolation-forest' } };
    const rows = [
      { a: -1, b: -1 },
      { a: -2, b: 3 },
    ];
    const answers = await explainAll(unpackModel(packed), more, rows);
    expect(answers).toEqual(await explainAll(model, more, rows));
    expect(answers.map((line) => JSON.parse(line).status)).toEqual(['found', 'found']);
  });

  it('cannot be told in a document', () => {
    const smuggled = { ...VOTES, parameters: { aggregation: 'vote', trees: model.model.forest } };
    expect(() => loadModel(smuggled)).toThrow('model.parameters.trees: ');
  });
});
