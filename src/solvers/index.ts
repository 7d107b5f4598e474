/**
 * THE TABLE of solvers, in order of preference. The ladder of a problem consists of the rows that accept the problem, from the top. A new
 * method is one file and one row here. The conformance suite runs over the table.
 */

import { additive } from './additive/additive.js';
import { enumerate } from './enumeration/enumerate.js';
import { cmaEs } from './general/cma-es.js';
import { conjugateGradient } from './general/conjugate-gradient.js';
import { genetic } from './general/genetic.js';
import { lbfgs } from './general/lbfgs.js';
import { nelderMead } from './general/nelder-mead.js';
import { spheres } from './general/spheres.js';
import { lp } from './highs/lp.js';
import { milp } from './highs/milp.js';
import { miqp } from './highs/miqp.js';
import { qp } from './highs/qp.js';
import { knapsack } from './knapsack/knapsack.js';
import { branch } from './linear/branch.js';
import { hyperplane } from './linear/hyperplane.js';
import { simplex } from './linear/simplex.js';
import { nearest } from './nearest.js';
import { neighbours } from './neighbours/neighbours.js';
import { reluPhases } from './networks/relu-phases.js';
import { activeSet } from './projection/active-set.js';
import { branchQuadratic } from './projection/branch-quadratic.js';
import { ccp } from './quadratic/ccp.js';
import { feasiblePoint } from './quadratic/feasible-point.js';
import { quadraticDual } from './quadratic/quadratic-dual.js';
import { sdp } from './quadratic/sdp.js';
import { secular } from './quadratic/secular.js';
import { spatial } from './quadratic/spatial.js';
import { branchAround } from './reductions/branch-around.js';
import { branchPlausible } from './reductions/branch-plausible.js';
import { cuts } from './reductions/cuts.js';
import { featureSets } from './reductions/feature-sets.js';
import { percentileChords } from './reductions/percentile-chords.js';
import { withoutCondition } from './reductions/without-condition.js';
import { withoutTerm } from './reductions/without-term.js';
import { workingSet } from './reductions/working-set.js';
import { guardTerms, type SolverTable } from './solver.js';
import { forestExact } from './trees/exact/forest-exact.js';
import { forestSplit } from './trees/exact/forest-split.js';
import { forestDescent } from './trees/heuristics/forest-descent.js';
import { forestPull } from './trees/heuristics/forest-pull.js';
import { forestTweak } from './trees/heuristics/forest-tweak.js';
import { singleTree } from './trees/single/single-tree.js';

const table: SolverTable = [
  hyperplane,
  knapsack,
  secular,
  quadraticDual,
  simplex,
  activeSet,
  branch,
  branchQuadratic,
  lp,
  qp,
  milp,
  miqp,
  additive,
  featureSets,
  percentileChords,
  cuts,
  workingSet,
  neighbours,
  ccp,
  sdp,
  spatial,
  branchAround,
  branchPlausible,
  singleTree,
  forestExact,
  forestSplit,
  reluPhases,
  withoutTerm,
  withoutCondition,
  enumerate,
  forestDescent,
  forestPull,
  forestTweak,
  feasiblePoint,
  lbfgs,
  conjugateGradient,
  nelderMead,
  spheres,
  cmaEs,
  genetic,
  nearest,
];

export const solvers: SolverTable = table.map(guardTerms);
