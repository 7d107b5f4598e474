/** THE TABLE of model families. A new family is one file and one row here; the conformance suite runs over it. */
import type { Family } from './family.js';
import { gaussianNaiveBayes, qda } from './gaussian.js';
import { isolationForest } from './isolation-forest.js';
import { hyperplane, logisticRegression } from './linear.js';
import { lvq } from './lvq.js';
import { regressionFamilies } from './regression.js';
import { lda, softmaxRegression } from './softmax.js';
import { decisionTree, treeEnsemble } from './tree-ensemble.js';

const TABLE: readonly Family[] = [
  hyperplane,
  logisticRegression,
  softmaxRegression,
  lda,
  ...regressionFamilies,
  gaussianNaiveBayes,
  qda,
  lvq,
  decisionTree,
  treeEnsemble,
  isolationForest,
];

export const families: ReadonlyMap<string, Family> = new Map(TABLE.map((family) => [family.name, family]));
