import { readdirSync, readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { HTTP_STATUS } from '../../../src/api/http-status.js';
import { openApi } from '../../../src/api/openapi.js';
import { asCoded, inRequestWords, problemOf, problemSchema } from '../../../src/api/problem.js';
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

/** Folders whose messages reach callers of the API. The other files there speak to the command line and to operators. */
const SPOKEN = ['api', 'documents', 'explain', 'models', 'policy', 'jobs', 'store/registry', 'store/batches'];
const TO_OPERATORS =
  /api\/server\.ts|policy\/draft|jobs\/(rows\/(endings|required-target|row-source|text-encoding|table-format|detect-numbers)|results\/(output-file|read-results)|failures\/|verify\/|worker\/worker|schedules\/|webhooks\/signature)/;

describe('messages', () => {
  it('name the format of a table by parameters', () => {
    expect(inRequestWords('say which by --decimal')).toBe('say which by ?decimal');
    expect(inRequestWords('--decimal , reads it; --delimiter, --encoding')).toBe(
      '?decimal=, reads it; ?delimiter, ?encoding',
    );
    const problem = problemOf(new ElsewiseError('bad-input', 'give --decimal .', 'body.csv'), 'r');
    expect(problem.detail).toBe('body.csv: give ?decimal=.');
  });

  it('name no options and no commands of the command line', () => {
    const files = SPOKEN.flatMap((folder) =>
      readdirSync(`src/${folder}`, { recursive: true }).map((name) => `src/${folder}/${name}`),
    ).filter((file) => file.endsWith('.ts') && !TO_OPERATORS.test(file));
    expect(files.length).toBeGreaterThan(200);
    const spoken = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(\/?\*|\/\/)/.test(line) && /['"`].*(\s--[a-z]+|\belsewise [a-z]+ )/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(spoken).toEqual([]);
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

  it("passes Redocly's recommended rules and swagger-parser", async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0].pointer}`)).toEqual([]);
    const copy = JSON.parse(text);
    expect(await SwaggerParser.validate(copy)).toMatchObject({ info: { license: { identifier: 'MIT' } } });
  });

  it('gives every operation an id of its own', () => {
    const ids = routes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it('names the parameters of every path, and an answer for every route', () => {
    for (const { path, params, responses } of routes) {
      const inPath = [...path.matchAll(/\/:(\w+)/g)].map(([, name]) => name);
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
