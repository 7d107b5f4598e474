/**
 * The values of a graph's outputs: each node is lowered once, after the nodes that it reads. Nodes that no output reads do not count.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { OnnxGraph, OnnxNode } from './file/onnx-file.js';
import { ROOT } from './file/wire-reader.js';
import { NodeView, WAY_OUT } from './operators/node-view.js';
import type { Operator } from './operators/operator.js';
import { isVotes, lowerVotes } from './operators/svm-votes.js';
import type { Value } from './values.js';

const DOMAINS = new Set(['', 'ai.onnx', 'ai.onnx.ml']);

/** In numbers: a second of work. */
const MOST_WORK = 10_000_000;

/** By kind: how many numbers a value has. */
const SIZES: { readonly [K in Value['kind']]: (value: Extract<Value, { kind: K }>) => number } = {
  constant: ({ tensor }) => tensor.numbers.length + tensor.texts.length,
  columns: ({ columns }) =>
    columns.reduce(
      (sum, column) =>
        sum + 1 + (column.kind === 'number' ? column.steps.length : column.kind === 'table' ? column.values.length : 0),
      0,
    ),
  outputs: ({ model }) =>
    model.kind === 'network' ? model.layers.at(-1)!.bias.length * model.layers.at(-1)!.weights[0].length : 1,
  labels: () => 1,
  votes: ({ rows }) => rows.length * (rows[0].length + 1),
};

const sizeOf = (value: Value): number => (SIZES[value.kind] as (own: Value) => number)(value);

export class Evaluation {
  private readonly producers = new Map<string, OnnxNode>();
  private readonly values = new Map<string, Value>();
  private work = 0;

  constructor(
    graph: OnnxGraph,
    private readonly operators: ReadonlyMap<string, Operator>,
    inputs: ReadonlyMap<string, Value>,
  ) {
    for (const [name, tensor] of graph.constants) this.values.set(name, { kind: 'constant', tensor });
    for (const [name, value] of inputs) this.values.set(name, value);
    for (const node of graph.nodes) for (const output of node.outputs) this.addProducer(output, node);
  }

  private addProducer(output: string, node: OnnxNode): void {
    if (output === '') return;
    if (this.producers.has(output) || this.values.has(output))
      throw new ElsewiseError('bad-document', `"${output}" is made twice`, node.path);
    this.producers.set(output, node);
  }

  /** Depth first with a stack of its own: graphs may be deeper than the stack of calls. */
  valueOf(name: string): Value {
    const waiting = [name];
    const open = new Set<OnnxNode>();
    while (waiting.length) {
      const next = waiting.at(-1)!;
      if (this.values.has(next)) {
        waiting.pop();
        continue;
      }
      const node = this.producerOf(next);
      const missing = node.inputs.filter((input) => input !== '' && !this.values.has(input));
      if (!missing.length) this.lower(node);
      else if (open.has(node)) throw new ElsewiseError('bad-document', `"${next}" depends on itself`, node.path);
      else {
        open.add(node);
        waiting.push(...missing);
      }
    }
    return this.values.get(name)!;
  }

  private producerOf(name: string): OnnxNode {
    const node = this.producers.get(name);
    if (node) return node;
    throw new ElsewiseError('bad-document', `there is no node or input "${name.slice(0, 200)}"`, `${ROOT}.graph`);
  }

  private lower(node: OnnxNode): void {
    const view = new NodeView(node);
    const inputs = node.inputs.map((input) => (input === '' ? undefined : this.values.get(input)));
    const values = inputs.some(isVotes) ? lowerVotes(view, inputs) : this.operatorOf(node, view).lower(view, inputs);
    this.spend(values, view);
    for (const [k, output] of node.outputs.entries()) {
      if (output === '') continue;
      if (!values[k]) throw view.refuse(`the output ${k}`);
      this.values.set(output, values[k]);
    }
  }

  /** The numbers of all edges together are bounded: a small graph may double its columns again and again. */
  private spend(values: readonly Value[], view: NodeView): void {
    for (const value of values) this.work += sizeOf(value);
    if (this.work > MOST_WORK) throw view.refuse('a graph with so many numbers on its edges');
  }

  private operatorOf(node: OnnxNode, view: NodeView): Operator {
    const operator = DOMAINS.has(node.domain) ? this.operators.get(node.operator) : undefined;
    if (!operator) {
      const message = `this importer does not support the operator ${node.operator.slice(0, 100)}${node.domain ? ` of ${node.domain.slice(0, 100)}` : ''}; ${WAY_OUT}`;
      throw new ElsewiseError('unsupported', message, node.path);
    }
    const foreign = [...node.attributes.keys()].find((name) => !operator.attributes.includes(name));
    if (foreign !== undefined) throw view.refuse(`the attribute ${foreign.slice(0, 100)}`, foreign.slice(0, 100));
    return operator;
  }
}
