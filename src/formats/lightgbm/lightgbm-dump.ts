/**
 * The JSON dump of a LightGBM model: the same trees as nested objects, the bits of `decision_type` as words, the set of a set split as
 * "1||4||7". Dumps of versions before 2.3 do not name the objective and are refused.
 */
import { z } from 'zod';
import { listOf, recordOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { parseLibraryJson, unsupported } from '../ensemble.js';
import {
  categoryNamesForm,
  type LightgbmModel,
  type LightgbmTree,
  MISSING_TYPES,
  type Split,
} from './lightgbm-model.js';

const leafForm = z.object({
  leaf_index: z.int().min(0).default(0),
  leaf_value: z.number(),
  leaf_coeff: z.unknown().optional(),
});

const splitForm = z.object({
  split_index: z.int().min(0),
  split_feature: z.int().min(0),
  threshold: z.union([z.number(), z.string()]),
  decision_type: z.enum(['<=', '==']),
  default_left: z.boolean(),
  missing_type: z.enum(MISSING_TYPES),
  get left_child() {
    return nodeForm;
  },
  get right_child() {
    return nodeForm;
  },
});

type DumpNode = z.output<typeof leafForm> | DumpSplit;
interface DumpSplit {
  split_index: number;
  split_feature: number;
  threshold: number | string;
  decision_type: '<=' | '==';
  default_left: boolean;
  missing_type: (typeof MISSING_TYPES)[number];
  left_child: DumpNode;
  right_child: DumpNode;
}
const nodeForm: z.ZodType<DumpNode> = z.union([splitForm, leafForm]);

const dumpForm = z.object({
  objective: z.string({ error: 'is missing: the objective gives the sum of the leaves its meaning' }),
  average_output: z.boolean().default(false),
  num_tree_per_iteration: z.int().min(1),
  feature_names: listOf(z.string()).min(1),
  feature_infos: recordOf(z.object({ values: listOf(z.number()).default([]) })).default({}),
  tree_info: listOf(z.object({ tree_structure: nodeForm })),
  pandas_categorical: categoryNamesForm,
});

export function readDump(text: string, root: string): LightgbmModel {
  const dump = parseDocument(dumpForm, parseLibraryJson(text, root), root);
  return {
    objective: dump.objective,
    isAverage: dump.average_output,
    treesPerIteration: dump.num_tree_per_iteration,
    features: dump.feature_names.map((name) => ({ name, codes: dump.feature_infos[name]?.values ?? [] })),
    trees: dump.tree_info.map((tree, t) => readTree(tree.tree_structure, `${root}.tree_info[${t}]`)),
    categoryNames: dump.pandas_categorical,
  };
}

function readTree(structure: DumpNode, path: string): LightgbmTree {
  const tree = { splits: new Map<number, Split>(), leaves: new Map<number, number>() };
  collect(structure, tree, path);
  return { splits: inOrder(tree.splits, path), leaves: inOrder(tree.leaves, path) };
}

/** Adds a node and all nodes below it to the tree. Returns its number for its parent. */
function collect(
  node: DumpNode,
  tree: { splits: Map<number, Split>; leaves: Map<number, number> },
  path: string,
): number {
  if (!('split_index' in node)) {
    if (node.leaf_coeff !== undefined) throw unsupported('linear trees', path);
    tree.leaves.set(node.leaf_index, node.leaf_value);
    return ~node.leaf_index;
  }
  const isSet = node.decision_type === '==';
  tree.splits.set(node.split_index, {
    feature: node.split_feature,
    threshold: isSet ? 0 : Number(node.threshold),
    codes: isSet ? String(node.threshold).split('||').map(Number) : null,
    isDefaultLeft: node.default_left,
    missing: node.missing_type,
    left: collect(node.left_child, tree, path),
    right: collect(node.right_child, tree, path),
  });
  return node.split_index;
}

function inOrder<T>(byNumber: ReadonlyMap<number, T>, path: string): T[] {
  return Array.from({ length: byNumber.size }, (_, n) => {
    const value = byNumber.get(n);
    if (value === undefined) throw new ElsewiseError('bad-document', `there is no node of number ${n}`, path);
    return value;
  });
}
