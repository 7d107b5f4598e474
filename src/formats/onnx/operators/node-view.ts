/** A node as operators read it: its attributes with their defaults, and refusals that name the operator, the attribute and the node. */
import { ElsewiseError } from '../../../documents/error.js';
import type { OnnxAttribute, OnnxNode } from '../file/onnx-file.js';
import type { ConstantTensor } from '../file/onnx-tensor.js';

export const WAY_OUT = 'explain the file as a black box instead (docs/black-box.md)';

export class NodeView {
  constructor(readonly node: OnnxNode) {}

  get operator(): string {
    return this.node.operator;
  }

  has(name: string): boolean {
    return this.node.attributes.has(name);
  }

  int(name: string, otherwise: number): number {
    return this.find(name)?.int ?? otherwise;
  }

  float(name: string, otherwise: number): number {
    return this.find(name)?.float ?? otherwise;
  }

  text(name: string, otherwise: string): string {
    return this.find(name)?.text ?? otherwise;
  }

  ints(name: string): readonly number[] {
    return this.find(name)?.ints ?? [];
  }

  floats(name: string): readonly number[] {
    return this.find(name)?.floats ?? [];
  }

  texts(name: string): readonly string[] {
    return this.find(name)?.texts ?? [];
  }

  tensor(name: string): ConstantTensor | undefined {
    return this.find(name)?.tensor;
  }

  /** `what`: the feature that a document cannot express. */
  refuse(what: string, attribute?: string): ElsewiseError {
    const { name, path } = this.node;
    const message = `the operator ${this.operator}${name ? ` ("${name.slice(0, 100)}")` : ''}: this importer does not support ${what}; ${WAY_OUT}`;
    return new ElsewiseError('unsupported', message, attribute ? `${path}.${attribute}` : path);
  }

  fault(message: string, attribute?: string): ElsewiseError {
    const { path } = this.node;
    return new ElsewiseError('bad-document', `${this.operator}: ${message}`, attribute ? `${path}.${attribute}` : path);
  }

  /** A list of the expected length. */
  checkLength(name: string, length: number, expected: number): void {
    if (length !== expected) throw this.fault(`expected ${expected} entries, got ${length}`, name);
  }

  private find(name: string): OnnxAttribute | undefined {
    return this.node.attributes.get(name);
  }
}
