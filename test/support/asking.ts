/** Puts questions to the product, as a user of the library would. */
import { type ResultDocument, resultSchema } from '../../src/documents/result-document.js';
import { type Plan, prepare } from '../../src/explain/plan.js';
import { loadModel } from '../../src/models/load.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { modelDocument, policyDocument, type Question, type Row } from './second-opinion.js';

/** Stands still: counted work ends a search, on a busy machine as on an idle one. */
export const clock = { now: () => 0 };

export async function planOf(model: unknown, policy: unknown): Promise<Plan> {
  return prepare(loadModel(model), loadPolicy(policy), clock);
}

/** The result of a question, which has the documented shape. */
export async function ask(question: Question): Promise<ResultDocument> {
  const plan = await planOf(modelDocument(question), policyDocument(question));
  return checkShape(plan.explain({ id: 'asked', features: question.row }));
}

/** Refuses a result that another program could not read back as the documented one. */
export function checkShape(result: ResultDocument): ResultDocument {
  return resultSchema.parse(JSON.parse(JSON.stringify(result)));
}

export const answersOf = (result: ResultDocument): Row[] =>
  result.counterfactuals.map(({ features }) => features as Row);
