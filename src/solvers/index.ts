/**
 * THE TABLE of solvers, in order of preference. A problem's ladder is the rows that accept it, from the top. A new method
 * is one file and one row here; the conformance suite runs over the table.
 */
import { activeSet } from './active-set.js';
import { boxes } from './boxes.js';
import { branch } from './branch.js';
import { branchAround } from './branch-around.js';
import { branchPlausible } from './branch-plausible.js';
import { branchQuadratic } from './branch-quadratic.js';
import { ccp } from './ccp.js';
import { cuts } from './cuts.js';
import { dual } from './dual.js';
import { forestDescent } from './forest-descent.js';
import { forestExact } from './forest-exact.js';
import { forestPull } from './forest-pull.js';
import { forestTweak } from './forest-tweak.js';
import { hyperplane } from './hyperplane.js';
import { lp } from './lp.js';
import { milp } from './milp.js';
import { miqp } from './miqp.js';
import { nearest } from './nearest.js';
import { qp } from './qp.js';
import { sdp } from './sdp.js';
import { secular } from './secular.js';
import { simplex } from './simplex.js';
import type { Solver } from './solver.js';
import { spatial } from './spatial.js';

export const solvers: readonly Solver[] = [
  hyperplane,
  secular,
  dual,
  simplex,
  activeSet,
  branch,
  branchQuadratic,
  lp,
  qp,
  milp,
  miqp,
  cuts,
  ccp,
  sdp,
  spatial,
  branchAround,
  branchPlausible,
  boxes,
  forestExact,
  forestDescent,
  forestPull,
  forestTweak,
  nearest,
];
