/** The types of onnx-writer.mjs. */
export const FLOAT: 1;
export const INT64: 7;
export const STRING: 8;

export interface OnnxTensor {
  readonly name: string;
  readonly type?: number;
  readonly shape: readonly number[];
  readonly data: readonly number[];
  readonly location?: string;
}

export interface OnnxValue {
  readonly name: string;
  readonly type?: number;
  readonly shape: readonly (number | string)[];
}

export interface OnnxNode {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, number>>;
}

export function writeModel(model: {
  readonly inputs: readonly OnnxValue[];
  readonly nodes: readonly OnnxNode[];
  readonly weights: readonly OnnxTensor[];
  readonly outputs: readonly OnnxValue[];
}): Buffer;
