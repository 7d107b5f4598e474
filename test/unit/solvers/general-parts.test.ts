/** Parts of the general optimisers against differences, closed forms and exact solvers: slopes, linear steps, descents, repairs. */
import { describe, expect, it } from 'vitest';
import { conjugateGradient } from '../../../src/solvers/general/conjugate-gradient.js';
import { costScales } from '../../../src/solvers/general/cost-scales.js';
import { Descent, type KinkedObjective } from '../../../src/solvers/general/descent.js';
import { LbfgsRule } from '../../../src/solvers/general/lbfgs.js';
import { Penalty } from '../../../src/solvers/general/penalty.js';
import { type Asked, PersonSearch } from '../../../src/solvers/general/person-search.js';
import { LinearStep } from '../../../src/solvers/general/polish/linear-step.js';
import { marginSlope } from '../../../src/solvers/general/polish/margin-slope.js';
import { type MarginTangent, TangentStep } from '../../../src/solvers/general/polish/tangent-step.js';
import { solvers } from '../../../src/solvers/index.js';
import { keepsPolicy } from '../../../src/solvers/shared/answer-check.js';
import { judge } from '../../conformance/judge.js';
import { type Case, type Norm, type Recipe, randomCase } from '../../conformance/random-problems.js';
import { patient } from '../../support/quadratic-problems.js';

const NUMBERS: Recipe = { norm: 'l2', kinds: ['continuous', 'continuous', 'continuous', 'continuous'], rows: 1 };

const searchOf = ({ problem, people }: Case, person = 0) =>
  new PersonSearch(problem, people[person].domain, patient, costScales(problem));

function finish<T>(asked: Asked<T>): T {
  for (;;) {
    const step = asked.next();
    if (step.done) return step.value;
  }
}

/** People whose problem has an answer by an exact solver, with its cost. */
function* solvable(norm: Norm, exact: string): Generator<{ made: Case; person: number; optimum: number }> {
  for (let seed = 1; seed <= 30; seed++) {
    const made = randomCase({ ...NUMBERS, norm }, seed);
    const solver = solvers.find(({ name }) => name === exact)!;
    if (!made.problem || solver.accepts(made.problem, solvers) !== 'exact') continue;
    for (const [person, { domain }] of made.people.entries()) {
      if (made.problem.holds(domain.origin)) continue;
      const { status, x } = solver.prepare(made.problem, solvers).solve(domain, patient);
      if (status === 'solved') yield { made, person, optimum: judge(made.problem, domain, x!).cost };
    }
  }
}

describe('the penalty', () => {
  it.each<Norm>(['l1', 'l2', 'mahalanobis', 'percentile', 'l0'])('has the slope of its differences, %s', (norm) => {
    for (let seed = 1; seed <= 10; seed++) {
      const made = randomCase({ ...NUMBERS, norm, links: true }, seed);
      const search = searchOf(made);
      const n = search.numbers.length;
      const penalty = new Penalty(search, 1);
      const y = Float64Array.from({ length: n }, (_, j) => 0.3 + 0.1 * j);
      penalty.begin(search.home, new Float64Array(n));
      penalty.weigh(0.7, y);
      const [gradient, unused] = [new Float64Array(n), new Float64Array(n)];
      penalty.smooth(y, gradient);
      for (let j = 0; j < n; j++) {
        const at = (h: number) => penalty.smooth(y.with(j, y[j] + h), unused);
        expect(gradient[j]).toBeCloseTo((at(1e-5) - at(-1e-5)) / 2e-5, 4);
      }
    }
  });
});

describe('the slope of a margin', () => {
  it('by differences is the gradient of a linear model', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const made = randomCase(NUMBERS, seed);
      const { domain } = made.people[0];
      const own = new Float64Array(made.problem.space.columns);
      made.problem.gradient!(domain.origin, own);
      const blind = new PersonSearch({ ...made.problem, gradient: null }, domain, patient, costScales(made.problem));
      const x = blind.place(domain.origin.map((value) => value + 0.5))!;
      const out = new Float64Array(own.length);
      expect(finish(marginSlope(blind).at(x, made.problem.margin(x), out))).toBe(true);
      for (const c of blind.numbers) expect(out[c]).toBeCloseTo(own[c], 5);
    }
  });
});

describe('steps by linear models', () => {
  const slopeAt = ({ problem }: Case, x: Float64Array) => {
    const slope = new Float64Array(x.length);
    problem.gradient!(x, slope);
    return slope;
  };

  it.each<[Norm, string]>([
    ['l1', 'hyperplane'],
    ['l2', 'hyperplane'],
    ['l0', 'branch'],
  ])('one tangent has the optimum of one row, %s', (norm, exact) => {
    let asked = 0;
    for (const { made, person, optimum } of solvable(norm, exact)) {
      const search = searchOf(made, person);
      const x = search.home;
      const found = new LinearStep(search).solve(x, slopeAt(made, x), -made.problem.margin(x), 1e6);
      expect(search.costOf(found) / optimum).toBeGreaterThan(1 - 1e-6);
      if (norm !== 'l0') expect(search.costOf(found) / optimum).toBeLessThan(1 + 1e-6);
      asked++;
    }
    expect(asked).toBeGreaterThan(10);
  });

  it.each<[Norm, string]>([
    ['l1', 'simplex'],
    ['l2', 'active-set'],
    ['mahalanobis', 'active-set'],
  ])('several tangents have the optimum of their rows, %s', (norm, exact) => {
    let asked = 0;
    for (const { made, person, optimum } of solvable(norm, exact)) {
      const search = searchOf(made, person);
      const x = search.home;
      const tangent: MarginTangent = { x, margin: made.problem.margin(x), slope: slopeAt(made, x), depth: 0 };
      const found = new TangentStep(search).solve([tangent, tangent], x, 1e6)!;
      expect(Math.abs(search.costOf(found) / optimum - 1)).toBeLessThan(1e-6);
      asked++;
    }
    expect(asked).toBeGreaterThan(10);
  });
});

describe('a descent', () => {
  /** ½ (y - a)ᵀ D (y - a) + κ Σ|y|  over a box: every column by itself in closed form. */
  const a = [3, -0.2, 1.5, -4];
  const D = [1, 2, 0.5, 10];
  const objective: KinkedObjective = {
    kinks: Float64Array.of(0.5, 0.5, 0, 0.5),
    lower: Float64Array.of(-10, -10, -10, -2),
    upper: Float64Array.of(10, 10, 1, 10),
    isOver: false,
    smooth: (y, gradient) => {
      for (let j = 0; j < y.length; j++) gradient[j] = D[j] * (y[j] - a[j]);
      return y.reduce((sum, value, j) => sum + 0.5 * D[j] * (value - a[j]) ** 2, 0);
    },
  };

  it('finds kinks, bounds and smooth minima', () => {
    const y = Float64Array.of(1, 1, -1, 0);
    new Descent(objective, new LbfgsRule(4), 4).minimize(y, { iterations: 200, gain: 1e-14 });
    expect(y[0]).toBeCloseTo(2.5, 5);
    expect(y[1]).toBe(0);
    expect(y[2]).toBe(1);
    expect(y[3]).toBe(-2);
  });
});

describe('placing', () => {
  it('keeps links, clauses and caps wherever a point of the domain does', () => {
    let kept = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const recipe: Recipe = {
        norm: 'l1',
        kinds: ['continuous', 'integer', 'step', 'one-hot', 'boolean'],
        rows: 1,
        links: true,
        clauses: true,
        maxChanges: 1 + (seed % 3),
      };
      const made = randomCase(recipe, seed);
      const search = searchOf(made);
      for (let k = 0; k < 5; k++) {
        const far = search.home.map((value, c) => value + 3 * search.scale[c] * search.normal());
        const x = search.place(far);
        if (!x) continue;
        kept++;
        expect(keepsPolicy(made.problem, search.domain, x)).toBe(true);
      }
      if (search.isHomeKept) expect(search.place(search.home)).toEqual(search.home);
    }
    expect(kept).toBeGreaterThan(500);
  });

  it('has a gradient to go by, or is not accepted', () => {
    const tree = randomCase({ ...NUMBERS, tree: 'plain' }, 1);
    expect(conjugateGradient.accepts(tree.problem, solvers)).toBe('no');
  });
});
