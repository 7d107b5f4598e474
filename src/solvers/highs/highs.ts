/**
 * HiGHS in WebAssembly, the only file that knows the package `highs`.
 *
 * One native instance per thread takes one program after the other, as sparse arrays. Passing a program replaces the program and the
 * basis of the instance: an answer depends on its program alone, and only the instance has to be disposed of.
 * Tolerances are the tightest that HiGHS offers. Programs are expected to be scaled for these tolerances.
 *
 * No error of the package leaves this file unchanged: its stack quotes a source line of 160 KB. After an error that may have corrupted the
 * engine's memory the engine is loaded anew, and until then every run fails. A run before the first load throws `EngineNeeded`. The package
 * is not read before the first load.
 */

import type { Highs, Model, ModelData, ModelStatusCode } from 'highs';
import type { Budget } from '../../problems/budget.js';
import { type Engine, EngineNeeded } from '../engine.js';
import type { SparseProgram } from './sparse-program.js';
import { dualBound, provesEmpty } from './weak-duality.js';

const SETTINGS = {
  output_flag: false,
  mip_feasibility_tolerance: 1e-9,
  mip_rel_gap: 1e-9,
  mip_abs_gap: 1e-12,
  // neither is worth its time on programs of this size
  mip_heuristic_run_feasibility_jump: false,
  mip_allow_restart: false,
  small_matrix_value: 1e-12,
  qp_regularization_value: 0,
};

/** Settings by kind of program. The QP method has internal tolerances and fails with tighter ones. */
const SETTINGS_OF = {
  lp: { presolve: 'off', primal_feasibility_tolerance: 1e-10, dual_feasibility_tolerance: 1e-10 },
  qp: { presolve: 'off', primal_feasibility_tolerance: 1e-7, dual_feasibility_tolerance: 1e-7 },
  milp: { presolve: 'choose', primal_feasibility_tolerance: 1e-10, dual_feasibility_tolerance: 1e-10 },
};

const INT_MAX = 2 ** 31 - 1;

const kindOf = (program: SparseProgram) => (program.whole.includes(1) ? 'milp' : program.hessian ? 'qp' : 'lp');

let engine: Highs | null = null;
let instance: Model | null = null;
let loading: Promise<void> | null = null;
let isBroken = false;
let loads = 0;

export const highs: Engine = {
  name: 'HiGHS',
  get loads() {
    return loads;
  },
  load: () => {
    loading ??= loadHighs();
    return loading;
  },
  get reloading() {
    return isBroken ? loading : null;
  },
};

async function loadHighs(): Promise<void> {
  try {
    // The declarations say CommonJS, but Node loads a module: its default export is the loader itself.
    const { default: loader } = (await import('highs')) as unknown as { default: () => Promise<Highs> };
    engine = await loader();
    loads++;
  } catch (error) {
    loading = null;
    throw new Error(`HiGHS could not be loaded: ${shortened(error)}`);
  } finally {
    isBroken = false;
  }
}

export interface Run {
  readonly status: 'optimal' | 'infeasible' | 'limit' | 'failed';
  /** Values by column. Null: none. After 'failed': the values that HiGHS had. */
  readonly values: Float64Array | null;
  /**
   * A lower bound on the objective: proved here for a linear program, claimed by HiGHS for a mixed-integer program, otherwise -Infinity.
   */
  readonly bound: number;
  /** By row and by column, of continuous programs: the rate at which the optimum rises with the active end. */
  readonly rowDuals: Float64Array;
  readonly columnDuals: Float64Array;
  /** Of an infeasible continuous program: multipliers of the rows whose combination no point meets. */
  readonly ray: Float64Array | null;
  readonly detail: string;
}

const NOTHING: Run = {
  status: 'failed',
  values: null,
  bound: Number.NEGATIVE_INFINITY,
  rowDuals: new Float64Array(),
  columnDuals: new Float64Array(),
  ray: null,
  detail: '',
};

/** Runs a program whose objective is bounded below, up to a relative gap. The budget counts iterations and nodes. */
export function runHighs(program: SparseProgram, budget: Budget, gap = 0): Run {
  if (isBroken) return { ...NOTHING, detail: 'HiGHS broke and is being loaded anew' };
  if (!engine) throw new EngineNeeded(highs);
  // HiGHS checks its limits only after the root, so a root beyond the budget is not begun.
  if (budget.refuses(callWork(program)))
    return { ...NOTHING, status: 'limit', detail: 'the program is too large for the effort' };
  try {
    // HiGHS treats a program without columns as empty and does not check its rows.
    if (!program.cost.length) program.addColumn(0, 0);
    instance ??= createInstance(engine);
    const kind = kindOf(program);
    const mip_rel_gap = Math.max(gap, SETTINGS.mip_rel_gap);
    instance.options.set({ ...SETTINGS_OF[kind], ...limitsOf(program, budget), mip_rel_gap });
    instance.passModel(toModel(program));
    instance.zeroAllClocks();
    instance.raw.run();
    budget.spend(workOf(instance, program));
    const code = instance.getModelStatus();
    // HiGHS reads its own clock: its answer may differ on another machine.
    if (code === TIME_LIMIT) budget.endByTime();
    const run = read(instance, code, program);
    return isLimited(program) ? withoutClaims(run) : run;
  } catch (error) {
    // After a reported error HiGHS is in order. Any other error may come from a trap in the middle of its work.
    if (error instanceof engine.errors.HighsError) replaceInstance();
    else abandonEngine();
    return { ...NOTHING, detail: `HiGHS: ${shortened(error)}` };
  }
}

/** Beyond this finite size of a whole column HiGHS cannot tell whole numbers from fractions, and its search may never end. */
const LARGEST_WHOLE = 1e9;

/** The ends of the columns, where those of whole columns are as large as HiGHS can count. */
const limitedEnds = (ends: readonly number[], { whole }: SparseProgram): readonly number[] =>
  ends.map((end, j) =>
    whole[j] && Number.isFinite(end) ? Math.max(-LARGEST_WHOLE, Math.min(LARGEST_WHOLE, end)) : end,
  );

/** A whole column has ends that HiGHS cannot count. */
const isLimited = ({ lower, upper, whole }: SparseProgram): boolean =>
  whole.some((isWhole, j) => isWhole === 1 && (tooLarge(lower[j]) || tooLarge(upper[j])));
const tooLarge = (end: number): boolean => Number.isFinite(end) && Math.abs(end) > LARGEST_WHOLE;

/** A run whose values are an answer and that proves nothing about the points outside its ends. */
const withoutClaims = (run: Run): Run => ({
  ...run,
  status: run.status === 'optimal' || run.status === 'infeasible' ? 'limit' : run.status,
  bound: Number.NEGATIVE_INFINITY,
});

/** Work of a call, in units of effort: passing a program, the root of a mixed-integer program, the Hessian of a quadratic program. */
const CALL_WORK = 60;
const ROOT_WORK = 2;
const HESSIAN_WORK = 0.1;

function callWork(program: SparseProgram): number {
  const columns = program.cost.length;
  const kind = kindOf(program);
  if (kind === 'qp') return CALL_WORK + HESSIAN_WORK * columns ** 2;
  return CALL_WORK + (kind === 'milp' ? ROOT_WORK * (columns + program.rowLower.length) : 0);
}

/** Work of a simplex iteration, in units of effort, and work of a node of the tree apart from its iterations. */
const iterationWork = ({ cost, rowLower }: SparseProgram): number => 5 + (cost.length + rowLower.length) / 20;
const NODE_WORK = 300;

const limitsOf = (program: SparseProgram, budget: Budget) => {
  const iterations = Math.min(INT_MAX, Math.ceil(budget.left / iterationWork(program)));
  return {
    time_limit: budget.leftMs / 1000,
    simplex_iteration_limit: iterations,
    qp_iteration_limit: iterations,
    mip_max_nodes: Math.min(INT_MAX, Math.ceil(budget.left / NODE_WORK)),
  };
};

function workOf({ info }: Model, program: SparseProgram): number {
  const count = (name: 'simplex_iteration_count' | 'qp_iteration_count' | 'mip_node_count') =>
    Math.max(0, Number(info.get(name)));
  const iterations = count('simplex_iteration_count') + count('qp_iteration_count');
  return callWork(program) + iterationWork(program) * iterations + NODE_WORK * count('mip_node_count');
}

function createInstance(loaded: Highs): Model {
  const created = loaded.createModel();
  created.options.set(SETTINGS);
  return created;
}

function replaceInstance(): void {
  instance?.dispose();
  instance = null;
}

/** The instance is not disposed of: a corrupted instance could crash the process, and its whole memory is dropped anyway. */
function abandonEngine(): void {
  engine = null;
  instance = null;
  isBroken = true;
  loading = loadHighs();
  loading.catch(() => {});
}

const shortened = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 200);

function toModel(program: SparseProgram): ModelData {
  const numCols = program.cost.length;
  const numRows = program.rowLower.length;
  return {
    numCols,
    numRows,
    colCost: program.cost,
    colLower: limitedEnds(program.lower, program),
    colUpper: limitedEnds(program.upper, program),
    rowLower: program.rowLower,
    rowUpper: program.rowUpper,
    matrix: {
      format: 'csr',
      numRows,
      numCols,
      starts: program.starts,
      indices: program.indices,
      values: program.values,
    },
    ...(program.whole.includes(1) ? { integrality: Int32Array.from(program.whole) } : {}),
    ...(program.hessian ? { hessian: { format: 'triangular', dimension: numCols, ...program.hessian } } : {}),
  };
}

const SOLVE_ERROR: ModelStatusCode = 4;
const OPTIMAL: ModelStatusCode = 7;
/** The second code is "infeasible or unbounded": no objective here is unbounded. */
const INFEASIBLE: readonly ModelStatusCode[] = [8, 9];
const TIME_LIMIT: ModelStatusCode = 13;
const LIMITS: readonly ModelStatusCode[] = [TIME_LIMIT, 14, 16, 17];
const NO_POINT = 0;
const FEASIBLE_POINT = 2;

function read(model: Model, code: ModelStatusCode, program: SparseProgram): Run {
  const detail = `HiGHS ended with status ${code}`;
  const kind = kindOf(program);
  if (INFEASIBLE.includes(code)) {
    const ray = kind === 'milp' ? null : (model.getDualRay()?.values ?? null);
    const isProved = kind === 'milp' || provesEmpty(program, ray);
    return { ...NOTHING, status: 'infeasible', bound: isProved ? Infinity : Number.NEGATIVE_INFINITY, ray, detail };
  }
  const status = code === OPTIMAL ? 'optimal' : LIMITS.includes(code) ? 'limit' : 'failed';
  // A QP that ends in a solve error has often met its optimum, but not by its own criteria.
  if (status === 'failed' && !(kind === 'qp' && code === SOLVE_ERROR)) return { ...NOTHING, detail };
  const { colValue, colDual, rowDual } = model.getSolution();
  const quality = model.info.get('primal_solution_status');
  const found = kind === 'milp' ? quality === FEASIBLE_POINT : quality !== NO_POINT;
  const bound =
    kind === 'milp'
      ? Number(model.info.get('mip_dual_bound'))
      : kind === 'lp' && status === 'optimal'
        ? dualBound(program, rowDual)
        : Number.NEGATIVE_INFINITY;
  return {
    ...NOTHING,
    status,
    values: found ? colValue : null,
    bound,
    rowDuals: rowDual,
    columnDuals: colDual,
    detail,
  };
}
