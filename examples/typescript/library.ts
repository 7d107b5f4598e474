/** Explains rows in this process: no server, no queue. */
import { readFile } from 'node:fs/promises';
import { ElsewiseError, loadModel, loadPolicy, type Plan, prepare, type ResultDocument, type Row } from 'elsewise';

const [modelFile, policyFile, id, features] = process.argv.slice(2);

try {
  const plan: Plan = await prepare(loadModel(await readJson(modelFile)), loadPolicy(await readJson(policyFile)));
  const row: Row = { id, features: JSON.parse(features) };
  console.log(inWords(plan.explain(row)));
} catch (error) {
  if (!(error instanceof ElsewiseError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 2;
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}

function inWords({ status, counterfactuals, reason }: ResultDocument): string {
  const [cheapest] = counterfactuals;
  if (!cheapest) return `${status}: ${reason?.message ?? ''}`;
  const changes = cheapest.changes.map(({ feature, from, to }) => `${feature}: ${from} -> ${to}`);
  return [`${status}, ${cheapest.proof.kind}`, ...changes].join('\n');
}
