/** Results of many people for tests of summaries and reports. */
import type { CounterfactualDocument, ResultDocument } from '../../../src/documents/result-document.js';
import { createBriefWriter } from '../../../src/jobs/results/brief-line.js';
import { seededRandom } from '../../../src/linalg/random.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

export function answerOf(changes: Partial<CounterfactualDocument> = {}): CounterfactualDocument {
  return {
    features: { income: 2600, housing: 'rent' },
    prediction: 'approved',
    score: 0.62,
    changes: [{ feature: 'income', from: 2100, to: 2600 }],
    cost: 1,
    distances: { l0: 1, l1: 500, l2: 500 },
    solver: 'hyperplane',
    proof: { kind: 'optimal', lowerBound: 1, gap: 0 },
    ...changes,
  };
}

export function resultOf(changes: Partial<ResultDocument> = {}): ResultDocument {
  return {
    schema: 'elsewise.result/v1',
    id: 'a-1',
    status: 'found',
    model: { name: 'credit', version: 3, digest: 'sha256:aa' },
    policy: { name: 'retail', digest: 'sha256:bb' },
    target: 'approved',
    factual: { features: { income: 2100, housing: 'rent' }, prediction: 'rejected', score: 0.4 },
    counterfactuals: [answerOf()],
    attempts: [],
    degraded: false,
    seed: 0,
    elapsedMs: 0,
    ...changes,
  };
}

export const infeasibleOf = (changes: Partial<ResultDocument> = {}): ResultDocument =>
  resultOf({
    status: 'infeasible',
    counterfactuals: [],
    reason: {
      code: 'infeasible',
      message: 'nothing helps',
      blocking: ['features.income.max', 'maxChanges'],
      minimal: true,
      relaxation: {
        entry: 'features.income.max',
        cost: 4,
        changes: [{ feature: 'income', from: 2100, to: 9000 }],
        proof: { kind: 'optimal', lowerBound: 4, gap: 0 },
      },
    },
    ...changes,
  });

/** `n` people whose housing, age and cost are random. Every tenth has no recourse. */
export function population(n: number, seed = 3): ResultDocument[] {
  const random = seededRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const features = {
      age: 18 + Math.floor(60 * random()),
      income: Math.round(1000 + 3000 * random()),
      housing: ['own', 'rent', 'free'][Math.floor(3 * random())],
      isMember: random() < 0.5,
    };
    const factual = { features, prediction: 'rejected', score: random() / 2 };
    const id = `p-${i}`;
    if (i % 10 === 0) return infeasibleOf({ id, factual });
    const to = features.income + 50 * Math.ceil(10 * random());
    const changes = [{ feature: 'income', from: features.income, to }];
    return resultOf({ id, factual, counterfactuals: [answerOf({ cost: 5 * random(), changes })] });
  });
}

/** The lines of `--detail brief`, with the line that names model and policy. */
export function briefLines(results: readonly ResultDocument[]): string[] {
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'credit',
    family: 'logistic-regression',
    features: [{ name: 'income', type: 'continuous' }],
    classes: ['rejected', 'approved'],
    parameters: { weights: [1], bias: 0 },
  });
  const { header, line } = createBriefWriter(model, loadPolicy({ schema: 'elsewise.policy/v1', name: 'retail' }));
  return [header, ...results.map(line)];
}
