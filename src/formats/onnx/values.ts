/**
 * The value of an edge of a graph, as far as documents can express it.
 *
 *   constant   a tensor
 *   columns    columns of the row
 *   outputs    numbers of a model, and the functions that follow
 *   labels     the class that the model decides on
 *   votes      functions of the sums of a support vector machine: svm-votes.ts
 */
import type { Column } from './columns.js';
import type { OnnxTensor } from './file/onnx-tensor.js';
import type { OnnxSvm } from './operators/svm-operators.js';
import type { Votes } from './operators/svm-votes.js';
import type { OnnxTrees } from './trees/tree-builder.js';

export interface Constant {
  readonly kind: 'constant';
  readonly tensor: OnnxTensor;
}

export interface Columns {
  readonly kind: 'columns';
  readonly type: number;
  readonly columns: readonly Column[];
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
  readonly columns: Columns;
  readonly layers: readonly OnnxLayer[];
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

export interface Labels {
  readonly kind: 'labels';
  readonly model: OnnxModel;
  /** Null: the labels are places. */
  readonly names: readonly string[] | null;
}

export type Value = Constant | Columns | Outputs | Labels | Votes;
