/** A problem at the row of a person, and its answer by enumeration, which knows no solver. */
import { spread } from '../../src/models/features.js';
import type { LoadedModel } from '../../src/models/load.js';
import { evaluateCost } from '../../src/policy/cost.js';
import type { Domain } from '../../src/policy/domain.js';
import { listedValues } from '../../src/policy/listed-values.js';
import { valuesOf } from '../../src/policy/values.js';
import type { Problem } from '../../src/problems/problem.js';
import { isAnswer } from '../../src/solvers/shared/answer-check.js';

export interface AskedProblem {
  readonly model: LoadedModel;
  readonly problem: Problem;
  readonly domain: Domain;
  readonly values: Float64Array;
}

/** The least cost over all combinations of values. */
export function enumeratedCost({ model, problem, domain, values }: AskedProblem): number {
  const { space } = model;
  let best = Infinity;
  const to = values.slice();
  const columns = new Float64Array(space.columns);
  const go = (f: number): void => {
    if (f === space.features.length) {
      spread(space, to, columns);
      const cost = evaluateCost(problem.cost, space, values, to);
      if (cost < best && isAnswer(problem, domain, columns)) best = cost;
      return;
    }
    const feature = space.features[f];
    for (const value of feature.kind === 'choice' ? listedValues(domain, feature) : valuesOf(domain, feature)) {
      to[f] = value;
      go(f + 1);
    }
    to[f] = values[f];
  };
  go(0);
  return best;
}
