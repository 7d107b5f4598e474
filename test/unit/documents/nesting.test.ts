/** Documents that are deeper than any stack are refused by name, wherever they come from. */
import { describe, expect, it } from 'vitest';
import { ElsewiseError } from '../../../src/documents/error.js';
import { MOST_LEVELS, ofRequest } from '../../../src/documents/nesting.js';
import { readDump } from '../../../src/formats/lightgbm/lightgbm-dump.js';
import { EventPolicies } from '../../../src/jobs/events/event-policies.js';
import { readEvent } from '../../../src/jobs/events/read-event.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { parseTarget } from '../../../src/policy/target.js';

const lists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const objects = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

function errorOf(read: () => unknown): ElsewiseError {
  try {
    read();
  } catch (error) {
    return error as ElsewiseError;
  }
  throw new Error('nothing was refused');
}

const READERS: Record<string, (value: unknown) => unknown> = {
  model: loadModel,
  policy: loadPolicy,
  target: parseTarget,
  job: (value) => readEvent(value, 'job', new EventPolicies()),
};

describe.each(Object.entries(READERS))('a %s', (name, read) => {
  it.each([MOST_LEVELS + 1, 20_000, 200_000])('of %d levels is refused', (levels) => {
    for (const value of [lists(levels), objects(levels), { policy: lists(levels) }, { features: objects(levels) }]) {
      const error = errorOf(() => read(value));
      expect(error).toBeInstanceOf(ElsewiseError);
      expect([error.code, error.exitCode, error.path]).toEqual(['bad-document', 2, name]);
      expect(error.detail).toBe(`nested too deeply: at most ${MOST_LEVELS} levels are read`);
    }
  });

  it('of fewer levels is judged by its content', () => {
    expect(errorOf(() => read(lists(MOST_LEVELS))).message).not.toContain('nested');
  });
});

describe('the body of a request', () => {
  it('is a bad request', () => {
    const error = errorOf(() => readEvent(lists(20_000), 'body', new EventPolicies()));
    expect([error.code, error.path]).toEqual(['bad-request', 'body']);
  });

  it('keeps other errors', () => {
    const other = new Error('other');
    expect(ofRequest(other)).toBe(other);
  });
});

describe('a dump of LightGBM', () => {
  const dump = (levels: number) => {
    let node = '{"leaf_index":0,"leaf_value":1}';
    for (let k = 0; k < levels; k++) {
      const split = `"split_index":${k},"split_feature":0,"threshold":${k},"decision_type":"<=","default_left":true`;
      const right = `{"leaf_index":${k + 1},"leaf_value":${k}}`;
      node = `{${split},"missing_type":"None","left_child":${node},"right_child":${right}}`;
    }
    const about = '"objective":"regression","num_tree_per_iteration":1,"feature_names":["a"]';
    return `{${about},"tree_info":[{"tree_structure":${node}}]}`;
  };

  it('may be as deep as trees are', () => {
    expect(readDump(dump(400), 'file').trees[0].leaves.length).toBe(401);
  });

  it('is refused where it is too deep', () => {
    expect(errorOf(() => readDump(dump(5000), 'file')).detail).toContain('nested too deeply');
  });
});
