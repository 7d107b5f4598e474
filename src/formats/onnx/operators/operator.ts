/** The contract of an operator: from the values that a node reads to those that it makes. */
import type { Value } from '../values.js';
import type { NodeView } from './node-view.js';

export interface Operator {
  /** The attributes that the operator reads or may ignore. A node with another attribute is refused. */
  readonly attributes: readonly string[];
  lower(node: NodeView, inputs: readonly (Value | undefined)[]): Value[];
}

export type OperatorRows = readonly (readonly [string, Operator])[];
