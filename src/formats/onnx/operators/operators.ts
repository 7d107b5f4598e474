/** THE TABLE of operators: what a node of a graph becomes. An operator without a row is refused by its name. */
import { arithmeticOperators } from './arithmetic-operators.js';
import { columnOperators } from './column-operators.js';
import { denseOperators } from './dense-operators.js';
import { encodingOperators } from './encoding-operators.js';
import { linearOperators } from './linear-operators.js';
import type { Operator } from './operator.js';
import { outputOperators } from './output-operators.js';
import { plumbingOperators } from './plumbing-operators.js';
import { svmOperators } from './svm-operators.js';
import { treeOperators } from './tree-operators.js';

export const operators: ReadonlyMap<string, Operator> = new Map([
  ...plumbingOperators,
  ...arithmeticOperators,
  ...columnOperators,
  ...encodingOperators,
  ...denseOperators,
  ...linearOperators,
  ...treeOperators,
  ...svmOperators,
  ...outputOperators,
]);
