/** The general optimisers on models of which only scores are known, or scores and a gradient: ladders, batches, and what is scored elsewhere. */
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { buildLadder } from '../../../src/explain/ladder.js';
import { prepare } from '../../../src/explain/plan.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import { opaque, rawOf, remote } from '../../support/remote-models.js';

const GRADIENT_FREE = ['nelder-mead', 'spheres', 'cma-es', 'genetic'];
const ROW = { id: 'r', features: { a: 1, b: 0.2, c: 3, d: 'x' } };

/** Numbers, steps and categories behind a linear score. */
function mixedModel(isMixed = true): LoadedModel {
  const category = { name: 'd', type: 'categorical', categories: ['x', 'y', 'z'] };
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'mixed',
    family: 'logistic-regression',
    features: [
      { name: 'a', type: 'continuous', min: 0, max: 10 },
      { name: 'b', type: 'continuous', min: 0, max: 5 },
      { name: 'c', type: isMixed ? 'integer' : 'continuous', min: 0, max: 9 },
      ...(isMixed ? [category] : []),
    ],
    classes: ['no', 'yes'],
    parameters: { weights: [0.5, 1, -0.3, ...(isMixed ? [0, 0.4, -0.2] : [])], bias: -3 },
  });
}

/** The same without a word about its region, but with its gradient. */
function smooth(loaded: LoadedModel): LoadedModel {
  const { model } = loaded;
  return { ...loaded, model: { ...opaque(loaded).model, gradient: (x, goal, out) => model.gradient!(x, goal, out) } };
}

const policyOf = (rest: object) => loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes', ...rest });

function ladderOf(loaded: LoadedModel, wanted = ['auto']): string[] {
  const compiled = compilePolicy(policyOf({ cost: { norm: 'l1', weights: 'none' } }).document, loaded);
  const [problem] = compileProblems(loaded, compiled, { kind: 'class', index: 1, margin: 0 });
  return buildLadder(problem, wanted).map(({ solver, isRescue }) => (isRescue ? `(${solver.name})` : solver.name));
}

describe('the ladder', () => {
  it('is lbfgs where there is a gradient, and rescues below it', () => {
    expect(ladderOf(smooth(mixedModel()))).toEqual(['lbfgs', '(spheres)', '(genetic)']);
  });

  it('is spheres and one more where only scores are known', () => {
    expect(ladderOf(opaque(mixedModel()))).toEqual(['spheres', 'genetic']);
    expect(ladderOf(opaque(mixedModel(false)))).toEqual(['spheres', 'cma-es']);
  });

  it('is the exact solvers where the region is known', () => {
    const names = ladderOf(mixedModel());
    for (const name of ['lbfgs', 'conjugate-gradient', ...GRADIENT_FREE]) expect(names).not.toContain(name);
  });

  it('has what the policy names, as rungs, where it is accepted', () => {
    const names = ['lbfgs', 'conjugate-gradient', ...GRADIENT_FREE];
    expect(ladderOf(mixedModel(), names)).toEqual(names);
    expect(ladderOf(opaque(mixedModel()), names)).toEqual(GRADIENT_FREE);
  });

  it('asks no rescue once there is an answer', async () => {
    const plan = await prepare(smooth(mixedModel()), policyOf({ cost: { norm: 'l1', weights: 'none' } }));
    expect(plan.explain(ROW).attempts.map(({ solver }) => solver)).toEqual(['lbfgs']);
  });

  it('asks a rescue where the gradient says nothing', async () => {
    const flat = smooth(mixedModel());
    const model = { ...flat.model, gradient: (_: Float64Array, __: unknown, out: Float64Array) => void out.fill(0) };
    const plan = await prepare({ ...flat, model }, policyOf({ cost: { norm: 'l1', weights: 'none' } }));
    const { status, attempts } = plan.explain(ROW);
    expect(status).toBe('found');
    expect(attempts.map(({ solver }) => solver)).toEqual(['lbfgs', 'spheres']);
  });
});

const bytes = ({ attempts, elapsedMs, ...rest }: ResultDocument): string => JSON.stringify(rest);

describe.each(GRADIENT_FREE)('%s', (name) => {
  const policy = policyOf({
    cost: { norm: 'l2', weights: 'none' },
    features: { b: { step: 0.25 } },
    constraints: ['a + b <= 11'],
    maxChanges: 3,
    solvers: [name],
    seed: 5,
  });

  it('asks in batches, and answers as it does at once', async () => {
    const local = mixedModel();
    const expected = (await prepare(opaque(local), policy)).explain(ROW);
    expect(expected.status).toBe('found');
    const steps = (await prepare(remote(local), policy)).explainSteps(ROW);
    const sizes: number[] = [];
    let step = steps.next();
    while (!step.done) {
      sizes.push(step.value.length);
      step = steps.next(step.value.map((input) => rawOf(local, input)));
    }
    expect(bytes(step.value)).toBe(bytes(expected));
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(30);
  });

  it('is near the optimum by scores alone', async () => {
    const exact = (await prepare(mixedModel(), policyOf({ ...policy.document, solvers: ['auto'] }))).explain(ROW);
    const found = (await prepare(opaque(mixedModel()), policy)).explain(ROW);
    expect(exact.counterfactuals[0].proof.kind).toBe('optimal');
    expect(found.counterfactuals[0].proof.kind).toBe('heuristic');
    expect(found.counterfactuals[0].cost).toBeLessThan(1.5 * exact.counterfactuals[0].cost);
  });
});
