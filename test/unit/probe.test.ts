import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadModel } from '../../src/models/load.js';
import { loadPolicy } from '../../src/explain/policy.js';
import { prepare } from '../../src/explain/plan.js';
import { resultSchema } from '../../src/documents/result-document.js';
import { question, discretePart, anyPart } from '../support/questions.js';
import { allAnswers } from '../support/brute-force.js';
import { modelDocument, policyDocument, leadOf, reaches, faultsOf, costOf, type Question, type Row } from '../support/second-opinion.js';
const seed = Number(process.env.FC_SEED ?? 1), numRuns = Number(process.env.FC_RUNS ?? 500);
async function ask(q: Question) {
  let t = 0;
  const plan = await prepare(loadModel(modelDocument(q)), loadPolicy(policyDocument(q)), { now: () => performance.now() });
  return plan.explain({ id: 'a', features: q.row });
}
it('discrete', async () => {
  const stat: Record<string, number> = {};
  await fc.assert(fc.asyncProperty(question({ part: discretePart, most: 4, constraints: 2, margins: [0.25, 0.5], capped: true }), async (q) => {
    const r = await ask(q);
    resultSchema.parse(r);
    const kind = r.status + ' ' + (r.counterfactuals[0]?.proof.kind ?? '');
    stat[kind] = (stat[kind] ?? 0) + 1;
    if (r.status === 'already') { expect(reaches(q, q.row)).toBe(true); return; }
    expect(reaches(q, q.row)).toBe(false);
    const all = allAnswers(q);
    const strict = all.filter((x) => leadOf(q, x.row) > 1e-7);
    if (r.status === 'infeasible') { expect(strict).toEqual([]); if (all.length) stat.tieInf = (stat.tieInf ?? 0) + 1; return; }
    if (r.status === 'not-found' && strict.length === 0) return;
    expect(r.status).toBe('found');
    const a = r.counterfactuals[0];
    expect(faultsOf(q, a.features as Row)).toEqual([]);
    expect(a.cost).toBeCloseTo(costOf(q, q.row, a.features as Row), 9);
    const best = Math.min(...all.map((x) => x.cost));
    const bestStrict = Math.min(...strict.map((x) => x.cost));
    expect(a.cost).toBeGreaterThan(best - 1e-6);
    expect(a.cost).toBeLessThan(bestStrict + 1e-6);
    if (a.cost > best + 1e-6) stat.tieDear = (stat.tieDear ?? 0) + 1;
    expect(a.proof.kind).toBe('optimal');
  }), { seed, numRuns });
  console.log(stat);
}, 300000);
it('mixed', async () => {
  const stat: Record<string, number> = {};
  await fc.assert(fc.asyncProperty(question({ part: anyPart, most: 5, constraints: 2, margins: [0.25, 0.5], capped: true }), async (q) => {
    const r = await ask(q);
    resultSchema.parse(r);
    const kind = r.status + ' ' + (r.counterfactuals[0]?.proof.kind ?? '');
    stat[kind] = (stat[kind] ?? 0) + 1;
    if (r.status === 'not-found') { if (q.features.some((f) => f.decimals !== undefined)) return;  }
    if (r.status === 'already') { expect(reaches(q, q.row)).toBe(true); return; }
    if (r.status === 'infeasible') { return; }
    expect(r.status).toBe('found');
    const a = r.counterfactuals[0];
    expect(faultsOf(q, a.features as Row)).toEqual([]);
    expect(a.cost).toBeCloseTo(costOf(q, q.row, a.features as Row), 9);
  }), { seed, numRuns });
  console.log(stat);
}, 300000);
