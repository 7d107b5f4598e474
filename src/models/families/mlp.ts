/**
 * Feed-forward networks: hidden layers, and a last layer that is a linear model of their activations h(x).
 *
 *   one logistic unit   two classes, as logistic-regression of h
 *   softmax             several classes, as softmax-regression of h
 *   identity            a regressor, as linear-regression of h
 *
 * The last layer's family computes scores, decisions and margins. Where all hidden units are relu or identity, the region of a goal is the
 * set of inputs whose activations lie in a piece of the last layer's region: atom `network`. Otherwise only margin and gradient are known.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { matrix, vector } from '../../documents/model-document.js';
import { checkWidth, defineFamily, type Family, type FamilyContext, type Model, type Thresholds } from '../family.js';
import { Network, type NetworkLayer } from '../machines/network.js';
import { packLayers, unpackLayers } from '../machines/shared-layers.js';
import type { Goal, Piece, Region } from '../region.js';
import type { SharedParts } from '../shared-parts.js';
import { logisticRegression } from './linear.js';
import { linearRegression } from './regression.js';
import { softmaxRegression } from './softmax.js';

const schema = z.strictObject({
  layers: listOf(
    z.strictObject({
      weights: matrix.describe('One row for each unit of the layer.'),
      bias: vector.describe('The bias of each unit.'),
      activation: z
        .enum(['relu', 'tanh', 'logistic', 'identity', 'softmax'])
        .describe(
          'The activation function. The last layer is one `logistic` unit for two classes, `softmax` for several, and `identity` for a regressor.',
        ),
    }),
  )
    .min(1)
    .describe('The layers from the inputs to the scores.'),
});

type LayerDocument = z.output<typeof schema>['layers'][number];

/** The required last layer, by the kind of output. */
const LAST = {
  two: { activation: 'logistic', units: 1, what: 'two classes: one unit with activation "logistic"' },
  several: { activation: 'softmax', units: Number.NaN, what: 'several classes: activation "softmax"' },
  none: { activation: 'identity', units: 1, what: 'a regressor: one unit with activation "identity"' },
} as const;

class MlpModel implements Model {
  readonly rawOutputs: number;
  readonly thresholds?: Thresholds;
  private readonly network: Network;
  private readonly slope: Float64Array;

  constructor(
    private readonly hidden: readonly NetworkLayer[],
    private readonly head: Model,
    width: number,
    readonly shared: SharedParts,
  ) {
    this.thresholds = head.thresholds;
    this.network = new Network(hidden);
    this.rawOutputs = head.rawOutputs;
    this.slope = new Float64Array(width);
  }

  raw(x: Float64Array, out: Float64Array): void {
    this.head.raw(this.network.run(x), out);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    this.head.scores(raw, out);
  }

  decide(raw: Float64Array): number {
    return this.head.decide(raw);
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    return this.head.achieves(raw, goal);
  }

  margin(raw: Float64Array, goal: Goal): number {
    return this.head.margin(raw, goal);
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    this.head.gradient!(this.network.run(x), goal, this.slope);
    this.network.pullBack(this.slope, out);
  }

  region(goal: Goal): Region {
    const pieces = this.head.region(goal);
    if (!this.hidden.length || !pieces.length) return pieces;
    const isPolyhedral = this.hidden.every(({ activation }) => activation === 'relu' || activation === 'identity');
    if (!isPolyhedral || pieces === 'unknown') return 'unknown';
    return pieces.map(
      (head): Piece => ({
        rows: [],
        atoms: [{ kind: 'network', layers: this.hidden, head, map: null }],
      }),
    );
  }
}

function readLayers(documents: readonly LayerDocument[], context: FamilyContext): SharedParts {
  let width = context.inputs;
  for (const [l, { weights, bias, activation }] of documents.entries()) {
    const path = `layers[${l}]`;
    checkWidth(bias, weights.length, `${path}.bias`, 'unit');
    for (const [i, row] of weights.entries())
      checkWidth(row, width, `${path}.weights[${i}]`, l ? `unit of layers[${l - 1}]` : 'model column');
    if (activation === 'softmax' && l < documents.length - 1)
      throw badLayer(l, 'activation', 'only the last layer may have "softmax"');
    width = weights.length;
  }
  checkLast(documents, context);
  return packLayers(documents);
}

function checkLast(documents: readonly LayerDocument[], { classes }: FamilyContext): void {
  const { activation, weights } = documents.at(-1)!;
  const last = classes === 0 ? LAST.none : classes === 2 && weights.length === 1 ? LAST.two : LAST.several;
  const units = Number.isNaN(last.units) ? classes : last.units;
  const l = documents.length - 1;
  if (weights.length !== units)
    throw badLayer(l, 'weights', `expected ${units} units for ${classes || 'no'} classes, got ${weights.length}`);
  if (activation !== last.activation) throw badLayer(l, 'activation', `expected for ${last.what}, got "${activation}"`);
}

const badLayer = (l: number, key: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.parameters.layers[${l}].${key}`);

/** The last layer as a model over the units before it. */
function headOf({ weights, bias }: NetworkLayer, context: FamilyContext): Model {
  const own = { ...context, inputs: weights[0].length, shared: undefined };
  const load = (family: Family, parameters: object) => family.load(parameters, own);
  if (context.classes === 0) return load(linearRegression, { weights: [...weights[0]], bias: bias[0] });
  if (bias.length === 1) return load(logisticRegression, { weights: [...weights[0]], bias: bias[0], threshold: 0.5 });
  const rows = weights.map((row) => [...row]);
  return load(softmaxRegression, { weights: rows, bias: [...bias], normalization: 'softmax' });
}

export const mlp = defineFamily({
  name: 'mlp',
  task: 'either',
  schema,
  shares: ['layers'],
  load: (parameters, context) => {
    const shared = context.shared ?? readLayers(parameters.layers, context);
    const layers = unpackLayers(shared, context.inputs);
    const last = layers.at(-1)!;
    return new MlpModel(
      layers.slice(0, -1) as NetworkLayer[],
      headOf(last as NetworkLayer, context),
      last.weights[0].length,
      shared,
    );
  },
});
