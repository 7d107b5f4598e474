/**
 * Terms of the cost over the whole table of solvers: a solver that does not say that it takes terms never sees one, whatever it accepts
 * otherwise; what the others prove of a total is true of the least total of all points of a grid.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../src/models/load.js';
import { createDomain, fillDomain } from '../../src/policy/domain.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import type { Problem } from '../../src/problems/problem.js';
import { solvers } from '../../src/solvers/index.js';
import { BestAnswer } from '../../src/solvers/shared/best-answer.js';
import { guardTerms, type Solver } from '../../src/solvers/solver.js';
import {
  leastTotal,
  MEASURES,
  totalAt,
  WORLD_FAMILIES,
  type WorldFamily,
  worldModel,
  worldPolicy,
} from '../support/plausible-worlds.js';
import { within } from '../support/quadratic-problems.js';

const NORMS = ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'] as const;
const FROM = [2, 5];

beforeAll(async () => {
  await Promise.all(solvers.map((solver) => solver.engine?.load()));
});

interface Posed {
  readonly problem: Problem;
  readonly domain: ReturnType<typeof createDomain>;
  /** The least total. */
  best(): number;
}

function pose(family: WorldFamily, measure: object, norm: (typeof NORMS)[number], isGrid: boolean): Posed {
  const model = worldModel(family, { isGrid });
  const policy = worldPolicy({ ...measure, weight: 1 }, { cost: { norm } });
  const loaded = loadModel(model);
  const compiled = compilePolicy(loadPolicy(policy).document, loaded);
  const [problem] = compileProblems(loaded, compiled, { kind: 'class', index: 1, margin: 0 });
  const domain = createDomain(loaded.space);
  fillDomain(domain, loaded.space, compiled.rules, Float64Array.from(FROM), loaded.preprocessing.imputed);
  return { problem, domain, best: () => leastTotal(totalAt(model, policy, FROM), isGrid ? 1 : 0.5) };
}

const posed = (isGrid: boolean, norms: readonly (typeof NORMS)[number][] = NORMS): Posed[] =>
  WORLD_FAMILIES.flatMap((family) =>
    MEASURES.flatMap((measure) => norms.map((norm) => pose(family, measure, norm, isGrid))),
  );

describe('the table of solvers', () => {
  it('has nobody but enumeration call a total optimal, and nobody who knows the norm alone', () => {
    const problems = [...posed(true), ...posed(false)].map(({ problem }) => problem);
    for (const solver of solvers) {
      const said = new Set(problems.map((problem) => solver.accepts(problem, solvers)));
      if (!solver.takesTerm) expect([solver.name, ...said]).toEqual([solver.name, 'no']);
      if (solver.name !== 'enumerate') expect([solver.name, said.has('exact')]).toEqual([solver.name, false]);
    }
    const without = problems.map((problem) => ({ ...problem, term: null }));
    const others = solvers.filter(({ takesTerm }) => !takesTerm);
    expect(
      others.filter((solver) => without.some((p) => solver.accepts(p, solvers) === 'exact')).length,
    ).toBeGreaterThan(8);
  });

  it('keeps a term from a new solver that says yes to everything', () => {
    const eager: Solver = {
      name: 'eager',
      accepts: () => 'exact',
      prepare: () => ({ solve: () => ({ status: 'infeasible', x: null, lowerBound: Infinity }) }),
    };
    const [{ problem }] = posed(true, ['l1']);
    expect(guardTerms(eager).accepts(problem, solvers)).toBe('no');
    expect(guardTerms(eager).accepts({ ...problem, term: null }, solvers)).toBe('exact');
    expect(guardTerms({ ...eager, takesTerm: true }).accepts(problem, solvers)).toBe('exact');
  });

  it.each([true, false])('proves nothing above the least total (grid: %s)', (isGrid) => {
    for (const { problem, domain, best: bestOf } of posed(isGrid, isGrid ? ['l1'] : ['l2'])) {
      const best = bestOf();
      const costs = new BestAnswer(problem);
      costs.begin(domain);
      for (const solver of solvers.filter((one) => one.accepts(problem, solvers) !== 'no')) {
        const { x, lowerBound, status } = solver.prepare(problem, solvers).solve(domain, within(10));
        expect([solver.name, lowerBound <= best * (1 + 1e-9)]).toEqual([solver.name, true]);
        if (status === 'solved') expect(costs.costOf(x!)).toBeLessThanOrEqual(best * (1 + 1e-9));
      }
    }
  });
});
