import { it } from 'vitest';
import { loadModel } from '../../src/models/load.js';
import { loadPolicy } from '../../src/explain/policy.js';
import { prepare } from '../../src/explain/plan.js';
import { modelDocument, policyDocument, type Question } from '../support/second-opinion.js';
const qs = [
{"family":"hyperplane","features":[{"name":"f0","type":"integer"}],"weights":[[-0.25]],"bias":[0],"target":1,"row":{"f0":0},"rules":{"f0":{"maxIncrease":0,"maxDecrease":1}},"norm":"l0","prices":{"f0":0.25},"constraints":[],"margin":0,"maxChanges":undefined},
{"family":"softmax-regression","features":[{"name":"f0","type":"continuous","max":4}],"weights":[[1.75],[0],[-0.25]],"bias":[-5,0,3],"target":0,"row":{"f0":-0.5},"rules":{"f0":{}},"norm":"l0","prices":{"f0":0.25},"constraints":[],"margin":0,"maxChanges":undefined},
{"family":"hyperplane","features":[{"name":"f0","type":"boolean"},{"name":"f1","type":"integer"}],"weights":[[-1.5,-1.75]],"bias":[-0.25],"target":1,"row":{"f0":true,"f1":-1},"rules":{"f0":{},"f1":{"maxIncrease":0,"maxDecrease":0}},"norm":"l2","prices":{"f0":0.25,"f1":0.25},"constraints":[],"margin":0,"maxChanges":undefined},
{"family":"hyperplane","features":[{"name":"f0","type":"categorical","categories":["a","b"],"encoding":"one-hot"}],"weights":[[0.25,0]],"bias":[0],"target":0,"row":{"f0":"a"},"rules":{"f0":{}},"norm":"l0","prices":{"f0":0.25},"constraints":[],"margin":0,"maxChanges":undefined},
{"family":"softmax-regression","features":[{"name":"f0","type":"integer"}],"weights":[[0],[-2],[-1]],"bias":[0,0.75,2.75],"target":2,"row":{"f0":-2},"rules":{"f0":{"maxIncrease":1,"maxDecrease":0}},"norm":"l2","prices":{"f0":0.25},"constraints":[],"margin":0,"maxChanges":undefined},
];
it('x', async () => {
  for (const q of qs as unknown as Question[]) {
    const plan = await prepare(loadModel(modelDocument(q)), loadPolicy(policyDocument(q)), { now: () => performance.now() });
    const { status, counterfactuals, attempts, reason } = plan.explain({ id: 'a', features: q.row });
    console.log(JSON.stringify({ status, counterfactuals, attempts, reason }));
  }
});
