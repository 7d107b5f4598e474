import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ElsewiseError, ERROR_CODES } from '../../../src/documents/error.js';
import { FAILURES, failurePage } from '../../../src/jobs/failures/failures.js';
import { asJobError, codeOf, isRetried, JobFailure, reasonOf } from '../../../src/jobs/failures/job-failure.js';

describe('the table of failures', () => {
  it('has every code of a thrown error and of a lost row', () => {
    expect(Object.keys(FAILURES).sort()).toEqual([...Object.keys(ERROR_CODES), 'overran', 'failed'].sort());
    for (const failure of Object.values(FAILURES)) {
      expect(failure.does).toMatch(/\.$/);
      expect(failure.operator).toMatch(/\.$/);
    }
  });

  it('is what its page says', () => {
    expect(readFileSync('docs/failures.md', 'utf8') === failurePage(), 'run `npm run schemas`').toBe(true);
  });
});

describe('a job that fails', () => {
  it('is tried again where the table says so, and when nobody foresaw it', () => {
    for (const code of Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[])
      expect(isRetried(new ElsewiseError(code, 'x'))).toBe(FAILURES[code].reaction === 'retry');
    expect(isRetried(new Error('a bug'))).toBe(true);
    expect(asJobError(new ElsewiseError('not-known', 'x'))).toBeInstanceOf(JobFailure);
  });

  it('keeps its code and its reason', () => {
    const failure = asJobError(new ElsewiseError('not-known', 'no such model')) as Error;
    expect(failure.message).toBe('not-known: no such model');
    expect([codeOf(failure), reasonOf(failure)]).toEqual(['not-known', 'no such model']);
    expect(codeOf(new Error('job stalled more than allowable limit'))).toBe('too-often');
    expect(codeOf(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('failed');
  });
});
