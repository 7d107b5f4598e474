/**
 * The outputs of a graph -> family and parameters of a document. THE TABLE has a row for each kind of model and what follows its numbers.
 *
 *   network without hidden layers   a linear family               trees   `tree-ensemble`
 *   network                         `mlp`                         svm     `kernel-svm`
 *
 * Two classes may have a row each, and one is the other with the sign changed: logistic(-f), logistic(f).
 */
import { ElsewiseError } from '../../documents/error.js';
import type { ModelDocument } from '../../documents/model-document.js';
import type { ImportChoices } from '../choices.js';
import { categoricalFeature } from '../ensemble.js';
import { chosenOutput, refuseOutput } from '../outputs.js';
import type { InputColumn } from './columns.js';
import { ROOT } from './file/wire-reader.js';
import { checkInputs, featureOf, preprocessingOf } from './model-inputs.js';
import { WAY_OUT } from './operators/node-view.js';
import { buildTrees, codesOf } from './trees/tree-builder.js';
import type { OnnxLayer, OnnxNetwork, OnnxSvm, OnnxTrees, Outputs } from './values.js';

type Content = Pick<ModelDocument, 'family' | 'parameters'>;
type Kind = 'linear' | 'deep' | 'trees' | 'svm';

interface Ending {
  readonly kind: Kind;
  /** The steps behind the numbers, in order. */
  readonly steps: string;
  /** Null: any number. */
  readonly width: number | null;
  /** Whether each output is a class. False: one number, a regressor. Null: as the operator says. */
  readonly isClasses: boolean | null;
  content(outputs: Outputs, kept: number | null, choices: ImportChoices): Content | null;
}

const asNetwork = ({ model }: Outputs): OnnxNetwork => model as OnnxNetwork;
const lastLayer = (outputs: Outputs): OnnxLayer => asNetwork(outputs).layers.at(-1)!;

const oneRow =
  (family: string, k: number) =>
  (outputs: Outputs): Content => {
    const { weights, bias } = lastLayer(outputs);
    return { family, parameters: { weights: [...weights[k]], bias: bias[k] } };
  };

const allRows =
  (normalization: string) =>
  (outputs: Outputs): Content => {
    const { weights, bias } = lastLayer(outputs);
    return {
      family: 'softmax-regression',
      parameters: { weights: weights.map((row) => [...row]), bias: [...bias], normalization },
    };
  };

/** The family of a row and its opposite. Null: the rows are no opposites. */
const opposites =
  (family: string) =>
  (outputs: Outputs): Content | null => {
    const { weights, bias } = lastLayer(outputs);
    const isOpposite = bias[0] === -bias[1] && weights[0].every((weight, j) => weight === -weights[1][j]);
    return isOpposite ? oneRow(family, 1)(outputs) : null;
  };

const regressor =
  (family: string) =>
  (outputs: Outputs, kept: number | null): Content =>
    oneRow(family, kept ?? 0)(outputs);

const layersEnding =
  (activation: string) =>
  (outputs: Outputs, kept: number | null): Content => {
    const layers = asNetwork(outputs).layers.map(({ weights, bias, ...layer }, l, all) => {
      const isLast = l === all.length - 1;
      const isKept = isLast && kept !== null;
      return {
        weights: isKept ? [weights[kept]] : weights,
        bias: isKept ? [bias[kept]] : bias,
        activation: isLast ? activation : layer.activation,
      };
    });
    return { family: 'mlp', parameters: { layers } };
  };

const treesWith =
  (link: string) =>
  (outputs: Outputs, kept: number | null, choices: ImportChoices): Content => {
    const model = outputs.model as OnnxTrees;
    const { base, isMean, isSingle, forest } = model;
    const own = kept === null ? [...base] : base.slice(kept, kept + 1);
    const mean = own.length && isMean ? { base: own.map((value) => value * forest.roots.length) } : {};
    const parameters = {
      trees: buildTrees(model, kept, choices),
      aggregation: isMean ? 'mean' : 'sum',
      ...mean,
      link,
      accumulate: isSingle ? 'float32' : 'float64',
    };
    return { family: 'tree-ensemble', parameters };
  };

const svm = ({ model }: Outputs): Content => ({ family: 'kernel-svm', parameters: (model as OnnxSvm).parameters });

/** A row with its own content comes before a general row. */
const ENDINGS: readonly Ending[] = [
  { kind: 'linear', steps: 'logistic', width: 2, isClasses: true, content: opposites('logistic-regression') },
  { kind: 'linear', steps: 'logistic shares', width: 2, isClasses: true, content: opposites('logistic-regression') },
  { kind: 'linear', steps: '', width: 2, isClasses: true, content: opposites('hyperplane') },
  { kind: 'linear', steps: '', width: null, isClasses: true, content: allRows('none') },
  { kind: 'linear', steps: 'softmax', width: null, isClasses: true, content: allRows('softmax') },
  { kind: 'linear', steps: 'logistic shares', width: null, isClasses: true, content: allRows('sigmoid') },
  { kind: 'linear', steps: 'logistic', width: 1, isClasses: true, content: oneRow('logistic-regression', 0) },
  {
    kind: 'linear',
    steps: 'logistic complement',
    width: 2,
    isClasses: true,
    content: oneRow('logistic-regression', 0),
  },
  { kind: 'linear', steps: '', width: null, isClasses: false, content: regressor('linear-regression') },
  { kind: 'linear', steps: 'exp', width: null, isClasses: false, content: regressor('poisson-regression') },
  { kind: 'deep', steps: 'logistic', width: 1, isClasses: true, content: layersEnding('logistic') },
  { kind: 'deep', steps: 'logistic complement', width: 2, isClasses: true, content: layersEnding('logistic') },
  { kind: 'deep', steps: 'softmax', width: null, isClasses: true, content: layersEnding('softmax') },
  { kind: 'deep', steps: '', width: null, isClasses: false, content: layersEnding('identity') },
  { kind: 'trees', steps: '', width: null, isClasses: true, content: treesWith('identity') },
  { kind: 'trees', steps: 'softmax', width: null, isClasses: true, content: treesWith('softmax') },
  { kind: 'trees', steps: 'logistic complement', width: 2, isClasses: true, content: treesWith('logit') },
  { kind: 'trees', steps: 'logistic', width: null, isClasses: true, content: treesWith('logit') },
  { kind: 'trees', steps: '', width: null, isClasses: false, content: treesWith('identity') },
  { kind: 'trees', steps: 'exp', width: null, isClasses: false, content: treesWith('exp') },
  { kind: 'svm', steps: '', width: null, isClasses: null, content: svm },
];

/** Steps after which numbers are classes, although no operator has named them. */
const OF_CLASSES = ['softmax', 'logistic'];

export function conclude(given: Outputs, inputs: readonly InputColumn[], choices: ImportChoices): ModelDocument {
  const outputs = withBoth(given);
  const { model, steps, width } = outputs;
  const isClasses = outputs.classes !== null || OF_CLASSES.includes(steps[0]);
  if (isClasses) refuseOutput(choices, ROOT);
  const kept = isClasses ? null : chosenOutput(width, choices, 'outputs', `${ROOT}.graph.output`);
  return {
    schema: 'elsewise.model/v1',
    name: ROOT,
    ...inputsOf(outputs, inputs),
    ...(isClasses && { classes: classesOf(outputs) }),
    ...contentOf(outputs, kindOf(model), isClasses, kept, choices),
  };
}

/** The score of the second class tells that of the first. */
function withBoth(outputs: Outputs): Outputs {
  const { steps, classes } = outputs;
  return steps.at(-1) === 'second' && classes?.length === 2
    ? { ...outputs, steps: steps.slice(0, -1), width: 2 }
    : outputs;
}

function contentOf(
  outputs: Outputs,
  kind: Kind,
  isClasses: boolean,
  kept: number | null,
  choices: ImportChoices,
): Content {
  const steps = outputs.steps.join(' ');
  for (const ending of ENDINGS) {
    const isOwn = ending.kind === kind && ending.steps === steps && (ending.width ?? outputs.width) === outputs.width;
    const content =
      isOwn && (ending.isClasses ?? isClasses) === isClasses ? ending.content(outputs, kept, choices) : null;
    if (content) return content;
  }
  const what = `${steps.replaceAll(' ', ', ') || 'nothing'} behind ${outputs.width} outputs of a model of the kind "${kind}"`;
  throw new ElsewiseError('unsupported', `this importer does not support ${what}; ${WAY_OUT}`, `${ROOT}.graph.output`);
}

const kindOf = (model: Outputs['model']): Kind =>
  model.kind === 'network' ? (model.layers.length === 1 ? 'linear' : 'deep') : model.kind;

/** Without names, places are the names. */
function classesOf({ classes, width }: Outputs): string[] {
  const names = classes ?? Array.from({ length: Math.max(2, width) }, (_, k) => String(k));
  return [...names];
}

function inputsOf(
  { model }: Outputs,
  inputs: readonly InputColumn[],
): Pick<ModelDocument, 'features' | 'preprocessing'> {
  const { columns } = model.columns;
  if (model.kind !== 'trees') {
    const preprocessing = preprocessingOf(inputs, columns);
    const features = inputs.map((input) => featureOf(input, 'one-hot'));
    return { features, ...(preprocessing.length ? { preprocessing } : {}) };
  }
  checkInputs(
    columns.filter(({ kind }, k) => kind !== 'word' || model.forest.nodes.some(({ column }) => column === k)),
  );
  const codes = codesOf(model);
  const features = inputs.map((input) => {
    const last = codes.get(input.place);
    return last === undefined
      ? featureOf(input, 'ordinal')
      : categoricalFeature(input.name, last, `${ROOT}.graph.input`);
  });
  return { features };
}
