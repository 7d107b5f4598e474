import { describe, expect, it } from 'vitest';
import { chooseType } from '../../../src/api/accept.js';

const TYPES = ['application/x-ndjson', 'text/csv', 'image/png'];

describe('the choice of a content type', () => {
  it.each([
    [undefined, 'application/x-ndjson'],
    ['*/*', 'application/x-ndjson'],
    ['text/*', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['text/csv;q=0.2, application/x-ndjson;q=0.3', 'application/x-ndjson'],
    ['text/csv; q=0.3, application/x-ndjson;q=0.2', 'text/csv'],
    ['application/x-ndjson;q=0, */*', 'text/csv'],
    ['text/html, */*;q=0.1', 'application/x-ndjson'],
  ])('%s is %s', (header, type) => {
    expect(chooseType(header, TYPES)).toBe(type);
  });

  it.each(['text/html', 'text/csv;q=0', '', 'text/csv;q=x'])('nothing fits "%s"', (header) => {
    expect(() => chooseType(header, TYPES)).toThrow('expected one of application/x-ndjson, text/csv');
  });
});
