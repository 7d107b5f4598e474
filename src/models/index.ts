/** THE TABLE of model families. A new family is one file and one row here. The conformance suite runs over the table. */

import { additive } from './families/additive.js';
import { blackBox } from './families/black-box.js';
import { gaussianNaiveBayes, qda } from './families/gaussian.js';
import { isolationForest } from './families/isolation-forest.js';
import { kernelSvm } from './families/kernel-svm.js';
import { knn } from './families/knn.js';
import { hyperplane, logisticRegression } from './families/linear.js';
import { lvq } from './families/lvq.js';
import { mlp } from './families/mlp.js';
import { linearRegression, otherRegressions } from './families/regression.js';
import { lda, softmaxRegression } from './families/softmax.js';
import { decisionTree, treeEnsemble } from './families/tree-ensemble.js';
import type { Family } from './family.js';

const TABLE: readonly Family[] = [
  hyperplane,
  logisticRegression,
  softmaxRegression,
  lda,
  linearRegression,
  ...otherRegressions,
  gaussianNaiveBayes,
  qda,
  lvq,
  decisionTree,
  treeEnsemble,
  isolationForest,
  additive,
  knn,
  kernelSvm,
  mlp,
  blackBox,
];

export const families: ReadonlyMap<string, Family> = new Map(TABLE.map((family) => [family.name, family]));
