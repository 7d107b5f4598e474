/**
 * The value of an edge of a graph, as far as documents can express it.
 *
 *   constant   a tensor
 *   columns    columns of the row
 *   outputs    numbers of a model, and the functions that follow
 *   labels     the class that the model decides on
 *   votes      functions of the sums of a support vector machine: svm-votes.ts
 */
import type { OnnxColumn } from './columns.js';
import type { ConstantTensor } from './file/onnx-tensor.js';
import type { NodeView } from './operators/node-view.js';
import type { SplitForest } from './trees/split-forest.js';

export interface Constant {
  readonly kind: 'constant';
  readonly tensor: ConstantTensor;
}

export interface OnnxColumns {
  readonly kind: 'columns';
  readonly type: number;
  readonly columns: readonly OnnxColumn[];
}

export interface OnnxLayer {
  /** By unit. */
  readonly weights: readonly (readonly number[])[];
  readonly bias: readonly number[];
  readonly activation: 'relu' | 'tanh' | 'logistic' | 'identity';
}

/** Layers over columns. The last is affine. */
export interface OnnxNetwork {
  readonly kind: 'network';
  readonly columns: OnnxColumns;
  readonly layers: readonly OnnxLayer[];
}

export interface OnnxTrees {
  readonly kind: 'trees';
  readonly node: NodeView;
  readonly columns: OnnxColumns;
  readonly forest: SplitForest;
  readonly form: 'all' | 'one' | 'shares';
  /** Of the forms of one target. */
  readonly target: number;
  readonly outputs: number;
  readonly base: readonly number[];
  readonly isMean: boolean;
  /** Sums in float32. */
  readonly isSingle: boolean;
}

export interface OnnxSvm {
  readonly kind: 'svm';
  readonly columns: OnnxColumns;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type OnnxModel = OnnxNetwork | OnnxTrees | OnnxSvm;

/**
 * What follows the numbers of a model. `shares`: division by the sum. `rest`: 1 - p. `complement`: [1 - p, p] of one number. `second`: the second of two numbers. `total`: their sum.
 */
export type OutputStep =
  | 'relu'
  | 'tanh'
  | 'logistic'
  | 'softmax'
  | 'exp'
  | 'shares'
  | 'rest'
  | 'complement'
  | 'second'
  | 'total';

export interface Outputs {
  readonly kind: 'outputs';
  readonly model: OnnxModel;
  readonly steps: readonly OutputStep[];
  /** How many numbers. */
  readonly width: number;
  /** The names of the classes, where the operator has them. */
  readonly classes: readonly string[] | null;
}

export interface DecidedLabels {
  readonly kind: 'labels';
  readonly model: OnnxModel;
  /** Null: the labels are places. */
  readonly names: readonly string[] | null;
}

export interface PairVotes {
  readonly kind: 'votes';
  readonly model: OnnxModel;
  readonly classes: readonly string[];
  /** By sample: the sums of all pairs. */
  readonly sums: readonly Float64Array[];
  /** By sample: the numbers of the edge. */
  readonly rows: readonly (readonly number[])[];
}

export type Value = Constant | OnnxColumns | Outputs | DecidedLabels | PairVotes;
