/** The table of families: parameters of a model document -> its evaluator. */
import type { Evaluator } from './evaluator.js';
import { type KernelParameters, kernelMachine } from './kernels.js';
import { hyperplane, type LinearParameters, logistic, regression } from './linear.js';
import { type LvqParameters, lvq } from './lvq.js';
import { type NeighbourParameters, neighbours } from './neighbours.js';
import { type NetworkParameters, network } from './network.js';
import {
  type LdaParameters,
  ldaSums,
  type NaiveBayesParameters,
  type Normalization,
  naiveBayesSums,
  type QdaParameters,
  qdaSums,
  scoredClasses,
  softmaxSums,
} from './scored-classes.js';
import {
  type EnsembleParameters,
  ensemble,
  type IsolationParameters,
  isolationForest,
  type TreeSpec,
} from './trees.js';

interface SoftmaxParameters {
  weights: number[][];
  bias: number[];
  normalization?: Normalization;
}

type Build = (parameters: never, classes: readonly string[]) => Evaluator;

const BUILD: Record<string, Build> = {
  hyperplane: (p: LinearParameters) => hyperplane(p),
  'logistic-regression': (p: LinearParameters) => logistic(p),
  'softmax-regression': (p: SoftmaxParameters) =>
    scoredClasses(softmaxSums(p.weights, p.bias), p.normalization ?? 'softmax'),
  lda: (p: LdaParameters | SoftmaxParameters) =>
    scoredClasses('means' in p ? ldaSums(p) : softmaxSums(p.weights, p.bias), 'softmax'),
  'linear-regression': (p: LinearParameters) => regression('linear-regression', p),
  'poisson-regression': (p: LinearParameters) => regression('poisson-regression', p),
  'exponential-regression': (p: LinearParameters) => regression('exponential-regression', p),
  'gaussian-naive-bayes': (p: NaiveBayesParameters) => scoredClasses(naiveBayesSums(p), 'softmax'),
  qda: (p: QdaParameters) => scoredClasses(qdaSums(p), 'softmax'),
  lvq: (p: LvqParameters, classes) => lvq(p, classes),
  'decision-tree': (p: { tree: TreeSpec }, classes) =>
    ensemble({ trees: [p.tree], aggregation: 'sum' }, classes.length),
  'tree-ensemble': (p: EnsembleParameters, classes) => ensemble(p, classes.length),
  'isolation-forest': (p: IsolationParameters) => isolationForest(p),
  mlp: (p: NetworkParameters) => network(p),
  knn: (p: NeighbourParameters, classes) => neighbours(p, classes),
  'kernel-svm': (p: KernelParameters, classes) => kernelMachine(p, classes),
};

export const FAMILIES: readonly string[] = Object.keys(BUILD);

export const evaluatorOf = (family: string, parameters: unknown, classes: readonly string[]): Evaluator =>
  BUILD[family](parameters as never, classes);
