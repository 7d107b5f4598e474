/** What effort is measured on: the cases of the bench, Gaussian models under every norm and with steps, and drawn ensembles of trees. */
import { buildCase, listCases } from './problems.mjs';
import { createRandom } from './random.mjs';

export function listEffortCases() {
  return [
    ...listCases().map((benchCase) => ({ label: benchCase.label, build: () => buildCase(benchCase) })),
    ...gaussianCases(),
    ...treeCases(),
  ];
}

/** Small sizes, where what a call takes beside its arithmetic counts most. */
function gaussianCases() {
  const cases = [];
  for (const family of ['gaussian-naive-bayes', 'qda', 'lvq'])
    for (const policy of ['plain', 'box', 'linked', 'mixed-integer'])
      for (const norm of ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'])
        for (const size of policy === 'linked' ? [10] : [4, 10]) {
          const label = `${policy} ${family} 3 classes d=${size} ${norm}, small`;
          cases.push({ label, build: () => buildCase({ label, policy, family, classes: 3, size, norm }) });
        }
  return cases;
}

const FORESTS = [
  { trees: 10, depth: 3, size: 9 },
  { trees: 50, depth: 4, size: 10 },
  { trees: 100, depth: 5, size: 30 },
  { trees: 300, depth: 6, size: 20 },
];

function treeCases() {
  return FORESTS.flatMap((shape) =>
    ['plain', 'mixed-integer', 'linked'].flatMap((policy) =>
      ['l0', 'l1', 'l2', 'mahalanobis'].map((norm) => {
        const label = `${policy} ${shape.trees} trees of depth ${shape.depth} d=${shape.size} ${norm}`;
        return { label, build: () => buildForest(label, policy, norm, shape) };
      }),
    ),
  );
}

/** The features, rows and policy of a case of the bench, with trees in the place of its model. */
function buildForest(label, policy, norm, { trees, depth, size }) {
  const benchCase = buildCase({ label, policy, family: 'logistic-regression', classes: 2, size, norm });
  const random = createRandom(label.length * 7919 + trees);
  const rows = benchCase.model.background.samples;
  const columns = columnsOf(benchCase.model);
  const drawn = Array.from({ length: trees }, () => drawTree(columns, rows, depth, random));
  const parameters = { trees: drawn, aggregation: 'sum', base: -0.4 * Math.sqrt(trees), link: 'logit' };
  const model = { ...benchCase.model, family: 'tree-ensemble', parameters };
  return { ...benchCase, model };
}

/** By model column: the value of a row there. */
function columnsOf({ features }) {
  return features.flatMap(({ type, categories }, f) =>
    type === 'categorical' ? categories.map((name) => (row) => Number(row[f] === name)) : [(row) => Number(row[f])],
  );
}

/** Splits at values of the rows; leaves are drawn around zero. */
function drawTree(columns, rows, depth, random) {
  const tree = { feature: [], threshold: [], left: [], right: [], value: [] };
  const grow = (levels) => {
    const node = tree.feature.length;
    const column = Math.floor(random() * columns.length);
    tree.feature.push(levels ? column : -1);
    tree.threshold.push(levels ? columns[column](rows[Math.floor(random() * rows.length)]) : 0);
    tree.left.push(-1);
    tree.right.push(-1);
    tree.value.push([levels ? 0 : random() + random() - 1]);
    if (!levels) return node;
    tree.left[node] = grow(levels - 1);
    tree.right[node] = grow(levels - 1);
    return node;
  };
  grow(depth);
  return tree;
}
