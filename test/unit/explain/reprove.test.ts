/** Claims of honest results are proved anew. Wider boxes and smaller blocking sets are not. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RegionDocument, ResultDocument } from '../../../src/documents/result-document.js';
import { type Plan, prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const textOf = (path: string) => readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8');

const CASES: readonly [folder: string, policy: string, rows: number][] = [
  ['credit', 'policy.json', 60],
  ['answers', 'policy-levers.json', 30],
  ['answers', 'policy-count.json', 30],
  ['plausible', 'policy-limit.json', 40],
  ['network', 'policy.json', 20],
];

async function explained(folder: string, policy: string, rows: number) {
  const model = loadModel(JSON.parse(textOf(`${folder}/model.json`)));
  const plan = await prepare(model, loadPolicy({ ...JSON.parse(textOf(`${folder}/${policy}`)), region: true }));
  const [header, ...lines] = textOf(`${folder}/applicants.csv`).trim().split('\n');
  const names = header.split(',');
  const results = lines.slice(0, rows).map((line, k) => {
    const cells = line.split(',');
    return plan.explainRecord(
      String(k),
      model.space.features.map(({ name }) => cells[names.indexOf(name)]),
    );
  });
  return { plan, results: results.map((result) => JSON.parse(JSON.stringify(result)) as ResultDocument) };
}

const faultsOf = (plan: Plan, { reason, ...result }: ResultDocument, regions: (RegionDocument | undefined)[]) =>
  plan.reprove({
    ...{ id: result.id, factual: result.factual, counterfactuals: result.counterfactuals, target: result.target! },
    ...{ regions, ...(reason?.blocking && { reason }) },
  });

/** The box with one end further out, or with a category more. */
function* widerBoxes({ features, proof }: RegionDocument): Generator<RegionDocument> {
  for (const [name, values] of Object.entries(features)) {
    if ('in' in values) continue;
    const { from, to } = values;
    const reach = 0.01 * Math.max(1, Math.abs(to ?? 0), Math.abs(from ?? 0));
    const of = (other: object): RegionDocument => ({ features: { ...features, [name]: other }, proof });
    if (to !== undefined) yield of({ ...values, to: to + 100 * reach });
    if (from !== undefined) yield of({ ...values, from: from - 100 * reach });
  }
}

describe.each(CASES)('results of %s under %s', (folder, policy, rows) => {
  it('are proved anew, and wider claims are not', async () => {
    const { plan, results } = await explained(folder, policy, rows);
    const answered = results.filter(
      ({ factual, target, status }) => factual && target !== null && status !== 'already',
    );
    let claims = 0;
    for (const result of answered) {
      const regions = result.counterfactuals.map(({ region }) => region);
      expect(faultsOf(plan, result, regions), result.id).toEqual([]);
      claims += regions.length + (result.reason?.blocking ? 1 : 0);
      for (const [k, region] of regions.entries())
        for (const wider of region?.proof.maximal ? widerBoxes(region) : []) {
          expect(faultsOf(plan, result, regions.with(k, wider)), JSON.stringify(wider)).toHaveLength(1);
        }
    }
    expect(claims).toBeGreaterThan(3);
  });
});
