/** A new thread, in which no engine is loaded: explains rows at once, and again where an engine was missing. */
import { parentPort, workerData } from 'node:worker_threads';
import { EngineNeeded, engineLoads, withEngines } from '../../../dist/explain/engines.js';
import { createPlan, prepare } from '../../../dist/explain/plan.js';
import { loadModel } from '../../../dist/models/load.js';
import { loadPolicy } from '../../../dist/policy/policy.js';

const { model, policy, rows, isEarly } = workerData;
const given = [loadModel(model), loadPolicy(policy)];
const plan = isEarly ? await prepare(...given) : createPlan(...given);
const loadsBefore = engineLoads();
let missed = 0;
const results = [];
for (const row of rows) {
  const result = await withEngines(() => {
    try {
      return plan.explain(row);
    } catch (error) {
      if (error instanceof EngineNeeded) missed++;
      throw error;
    }
  });
  results.push(JSON.stringify(result));
}
parentPort.postMessage({ loadsBefore, loads: engineLoads(), missed, results });
