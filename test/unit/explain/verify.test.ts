import { describe, expect, it } from 'vitest';
import { Verifier } from '../../../src/explain/verify.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';

const features = ['a', 'b', 'c'].map((name) => ({ name, type: 'continuous' }));
const model = loadModel({
  schema: 'elsewise.model/v1',
  name: 'm',
  family: 'hyperplane',
  features,
  classes: ['no', 'yes'],
  parameters: { weights: [1, 1, 1], bias: -1 },
});
const goals = [{ kind: 'class', index: 1, margin: 0 } as const];
const row = Float64Array.of(0, 0, 0);

/** What the last check says of an answer, whatever a solver claimed. */
function faultOf(policy: Record<string, unknown>, answer: number[]): string {
  const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }).document, model);
  return new Verifier(model, compiled).check(row, row, Float64Array.from(answer), { goals, plausibility: null }).fault;
}

describe('the last check of an answer refuses by itself', () => {
  it.each([
    ['more changes than the cap', { maxChanges: 2 }, [1, 1, 1], '3 features change'],
    ['a change of what must not', { features: { a: { change: 'never' } } }, [2, 0, 0], 'a must not change'],
    ['the wrong direction', { features: { a: { change: 'decrease' } } }, [2, 0, 0], 'a may not increase'],
    ['a bound that is left', { features: { a: { max: 1 } } }, [2, 0, 0], 'a leaves its bounds'],
    ['too large a change', { features: { a: { maxIncrease: 1 } } }, [2, 0, 0], 'a changes too much'],
    ['a value off its step', { features: { a: { step: 0.5 } } }, [2.2, 0, 0], 'a is off its step'],
    ['a broken constraint', { constraints: ['a <= b'] }, [2, 0, 0], 'breaks "a <= b"'],
    ['what the model does not accept', {}, [0.5, 0, 0], 'the model does not give the target'],
    ['a number that is none', {}, [Number.POSITIVE_INFINITY, 0, 0], 'a is not a finite number'],
    ['a number that no row may have', {}, [1e101, 0, 0], 'a is too large'],
  ])('%s', (_, policy, answer, fault) => {
    expect(faultOf(policy, answer)).toBe(fault);
  });

  it('and lets a good one pass', () => {
    expect(faultOf({ maxChanges: 2, constraints: ['a <= 3'] }, [1, 1, 0])).toBe('');
  });
});
