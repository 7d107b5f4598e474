/**
 * Layers of configuration: trees of values, each with the name of its origin. A later layer overrides entry by entry. The schema checks the
 * merged values, and a fault names its origin: the variable or the file.
 */
import type { z } from 'zod';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';

export interface Layer {
  /** `default`, the name of a file or of a variable, `option`. */
  readonly origin: string;
  readonly values: unknown;
}

export function mergeLayers<S extends z.ZodType>(schema: S, layers: readonly Layer[]): z.output<S> {
  const merged = layers.map(({ values }) => values).reduce(merge, {});
  try {
    return parseDocument(schema, merged, '');
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    throw new ElsewiseError(
      'usage',
      error.message.replaceAll(/^[\w.[\]-]+(?=: )/gm, (path) => blame(path, layers)),
    );
  }
}

/** The origin of an entry's value. */
export function originOf(path: readonly string[], layers: readonly Layer[]): string | undefined {
  return layers.findLast(({ values }) => valueAt(values, path) !== undefined)?.origin;
}

export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce((node, name) => (isTree(node) && Object.hasOwn(node, name) ? node[name] : undefined), values);
}

/** A tree with only this value. */
export function treeOf(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((below, name) => ({ [name]: below }), value);
}

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => value !== null && typeof value === 'object' && !Array.isArray(value);

/** An undefined entry of an upper layer keeps the lower value. Lists are replaced, not joined. */
function merge(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isTree(below) || !isTree(above)) return above;
  const names = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries([...names].map((name) => [name, merge(own(below, name), own(above, name))]));
}

const own = (tree: Tree, name: string): unknown => (Object.hasOwn(tree, name) ? tree[name] : undefined);

/** A fault inside of a value (`store.nodes[2].port`) belongs to the layer that gave the value. */
function blame(path: string, layers: readonly Layer[]): string {
  const steps = path.split(/[.[]/);
  for (let length = steps.length; length > 0; length--) {
    const origin = originOf(steps.slice(0, length), layers);
    if (origin !== undefined) return `${origin}: ${path}`;
  }
  return path;
}
