import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HTTP_STATUS } from '../../../src/api/http-status.js';
import { openApi } from '../../../src/api/openapi.js';
import { asCoded, problemOf, problemSchema } from '../../../src/api/problem.js';
import { routes } from '../../../src/api/routes/index.js';
import { ElsewiseError, ERROR_CODES, type ErrorCode } from '../../../src/documents/error.js';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

describe('errors', () => {
  it('have a status each', () => {
    expect(Object.keys(HTTP_STATUS).sort()).toEqual([...CODES].sort());
    for (const { status } of Object.values(HTTP_STATUS)) expect(status).toBeGreaterThanOrEqual(400);
  });

  it.each(CODES)('%s is a problem document', (code) => {
    const problem = problemOf(new ElsewiseError(code, 'what', 'policy.features'), 'request-1');
    expect(problemSchema.parse(problem)).toMatchObject({ code, path: 'policy.features', requestId: 'request-1' });
  });

  it('that nobody foresaw say nothing of the inside', () => {
    const bug = problemOf(asCoded(new TypeError('x of undefined, a-0001')), 'r');
    expect(bug).toMatchObject({ code: 'internal', status: 500 });
    expect(JSON.stringify(bug)).not.toContain('a-0001');
    const away = problemOf(asCoded(new Error('connect ECONNREFUSED 10.0.0.7:6379')), 'r');
    expect(away).toMatchObject({ code: 'redis-away', status: 503 });
    expect(JSON.stringify(away)).not.toContain('10.0.0.7');
    const words = asCoded(new ElsewiseError('usage', 'expected name@number', 'redis'));
    expect(words).toMatchObject({ code: 'bad-request', path: 'redis', message: 'redis: expected name@number' });
    expect(asCoded(new Error("OOM command not allowed when used memory > 'maxmemory'.")).code).toBe('redis-full');
  });
});

describe('the OpenAPI document', () => {
  const document = openApi(routes);
  const text = JSON.stringify(document);

  it('has no dangling reference and no dialect of its own', () => {
    const { schemas } = document.components as { schemas: object };
    const names = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(Object.keys(schemas)).toContain(name.replace('#/components/schemas/', ''));
    expect(text).not.toContain('"$schema"');
  });

  it('names the parameters of every path, and an answer for every route', () => {
    for (const { path, params, responses } of routes) {
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(params?.shape ?? {})).toEqual(inPath);
      expect(Object.keys(responses).length).toBeGreaterThan(0);
    }
  });

  it('describes requests and answers by the schemas of the package', () => {
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    const { $schema: _, title: __, ...result } = JSON.parse(readFileSync('schemas/result.json', 'utf8'));
    expect(schemas.Result).toEqual(result);
  });
});
