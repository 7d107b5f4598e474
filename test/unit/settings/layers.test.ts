/** Defaults, file, variables, options: who wins, how values are read, and how faults are told. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileLayer } from '../../../src/settings/configuration-file.js';
import { entriesOf, variableOf } from '../../../src/settings/entries.js';
import { environmentLayers, unknownVariables } from '../../../src/settings/environment.js';
import { mergeLayers, originOf } from '../../../src/settings/layers.js';
import { masked } from '../../../src/settings/masked.js';

const schema = z.strictObject({
  api: z.strictObject({
    port: z.int().min(1).max(65_535).describe('where'),
    isPublic: z.boolean().describe('who').optional(),
    origins: z.array(z.string()).describe('from where').optional(),
    token: z.string().min(8).describe('for whom').optional(),
    tls: z.strictObject({ caFile: z.string().describe('of the authority').optional() }).optional(),
    nodes: z
      .array(z.strictObject({ host: z.string(), port: z.int() }))
      .describe('several')
      .optional(),
    threads: z
      .union([z.int().min(1), z.literal('auto')])
      .meta({ description: 'how many', variable: 'THREADS' })
      .optional(),
  }),
});

const entries = entriesOf(schema);
const defaults = { origin: 'default', values: { api: { port: 80 } } };
const directory = mkdtempSync(join(tmpdir(), 'elsewise-settings-'));
afterAll(() => rmSync(directory, { recursive: true }));

const read = (environment: Record<string, string>) =>
  mergeLayers(schema, [defaults, ...environmentLayers(entries, environment)]).api;

function write(name: string, text: string): string {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
}

describe('entries', () => {
  it('have names by one rule', () => {
    expect(variableOf(['api', 'bodyLimitMb'])).toBe('ELSEWISE_API_BODY_LIMIT_MB');
    expect(entries.map(({ variables }) => variables.join(' '))).toEqual([
      'ELSEWISE_API_PORT',
      'ELSEWISE_API_IS_PUBLIC',
      'ELSEWISE_API_ORIGINS',
      'ELSEWISE_API_TOKEN',
      'ELSEWISE_API_TLS_CA_FILE',
      'ELSEWISE_API_NODES',
      'ELSEWISE_API_THREADS THREADS',
    ]);
  });

  it('say what they accept', () => {
    expect(entries.map(({ accepts }) => accepts)).toEqual([
      'whole number, 1 to 65535',
      'true or false',
      'list of text',
      'text',
      'text',
      'JSON list',
      'whole number, 1 or more or `auto`',
    ]);
  });

  it('keep their descriptions behind optional', () => {
    expect(entries.filter(({ description }) => description === '')).toEqual([]);
  });
});

describe('variables', () => {
  it.each([
    ['ELSEWISE_API_PORT', '8080', { port: 8080 }],
    ['ELSEWISE_API_IS_PUBLIC', 'true', { isPublic: true }],
    ['ELSEWISE_API_IS_PUBLIC', '0', { isPublic: false }],
    ['ELSEWISE_API_ORIGINS', 'a, b', { origins: ['a', 'b'] }],
    ['ELSEWISE_API_ORIGINS', '["a,b"]', { origins: ['a,b'] }],
    ['ELSEWISE_API_NODES', '[{"host":"a","port":1}]', { nodes: [{ host: 'a', port: 1 }] }],
    ['ELSEWISE_API_THREADS', '4', { threads: 4 }],
    ['THREADS', 'auto', { threads: 'auto' }],
    ['ELSEWISE_API_TLS_CA_FILE', '/ca.pem', { tls: { caFile: '/ca.pem' } }],
    ['ELSEWISE_API_PORT', '', {}],
  ])('%s=%s', (name, text, expected) => {
    expect(read({ [name]: text })).toEqual({ port: 80, ...expected });
  });

  it.each([
    ['ELSEWISE_API_PORT', 'soon', 'ELSEWISE_API_PORT: expected whole number, 1 to 65535, got "soon"'],
    ['ELSEWISE_API_PORT', '70000', 'ELSEWISE_API_PORT: api.port: expected a number of at most 65535'],
    ['ELSEWISE_API_PORT', '1.5', 'ELSEWISE_API_PORT: api.port: '],
    ['ELSEWISE_API_PORT', ' ', 'ELSEWISE_API_PORT: expected'],
    ['ELSEWISE_API_IS_PUBLIC', 'yes', 'ELSEWISE_API_IS_PUBLIC: expected true or false, got "yes"'],
    ['ELSEWISE_API_NODES', '[{"host":"a"}]', 'ELSEWISE_API_NODES: api.nodes[0].port: '],
    ['ELSEWISE_API_NODES', '{', 'ELSEWISE_API_NODES: expected JSON list'],
    ['ELSEWISE_API_TOKEN_FILE', '/no/such/file', 'ELSEWISE_API_TOKEN_FILE: cannot read /no/such/file'],
  ])('%s=%s is refused by name', (name, text, message) => {
    expect(() => read({ [name]: text })).toThrow(message);
  });

  it('let the name by the rule win over the other', () => {
    expect(read({ THREADS: '2', ELSEWISE_API_THREADS: '3' }).threads).toBe(3);
  });

  it('may point to a file with the secret, not besides the secret', () => {
    const file = write('token', 'long enough\n');
    expect(read({ ELSEWISE_API_TOKEN_FILE: file }).token).toBe('long enough');
    const both = { ELSEWISE_API_TOKEN_FILE: file, ELSEWISE_API_TOKEN: 'long enough' };
    expect(() => read(both)).toThrow('ELSEWISE_API_TOKEN: ELSEWISE_API_TOKEN_FILE is set as well');
  });

  it('leave the file to an entry that has this name', () => {
    const own = entriesOf(z.strictObject({ api: z.strictObject({ token: z.string(), tokenFile: z.string() }) }));
    expect(own.map(({ fileVariables }) => fileVariables)).toEqual([[], []]);
    const [{ values }] = environmentLayers(own, { ELSEWISE_API_TOKEN_FILE: '/no/such/file' });
    expect(values).toEqual({ api: { tokenFile: '/no/such/file' } });
  });

  it('are not quoted when they are secret', () => {
    const refused = () => read({ ELSEWISE_API_TOKEN: 'short' });
    expect(refused).toThrow('ELSEWISE_API_TOKEN: api.token: ');
    expect(refused).not.toThrow('"short"');
  });

  it('that nobody knows are told', () => {
    const environment = { ELSEWISE_API_PROT: '1', ELSEWISE_OTHER: '1', PATH: '' };
    const [sentence, ...others] = unknownVariables(entries, environment, ['ELSEWISE_OTHER']);
    expect(sentence).toBe('ELSEWISE_API_PROT: no entry has this variable, did you mean "ELSEWISE_API_PORT"?');
    expect(others).toEqual([]);
  });
});

describe('files', () => {
  it('change what they name and leave the rest', () => {
    const layer = fileLayer(write('good.json', '{"api":{"origins":["a"]}}'), 'ELSEWISE_CONFIG');
    expect(mergeLayers(schema, [defaults, layer])).toEqual({ api: { port: 80, origins: ['a'] } });
    expect(originOf(['api', 'origins'], [defaults, layer])).toBe(join(directory, 'good.json'));
    expect(originOf(['api', 'port'], [defaults, layer])).toBe('default');
  });

  it.each([
    ['typo.json', '{"api":{"prot":1}}', 'typo.json: api.prot: unknown key, did you mean "port"?'],
    ['proto.json', '{"api":{"__proto__":{"port":1}}}', 'not allowed'],
    ['list.json', '[]', 'expected a JSON object'],
    ['text.json', 'port: 1', 'not JSON'],
  ])('%s is refused by name', (name, text, message) => {
    const file = write(name, text);
    const merge = () => mergeLayers(schema, [defaults, fileLayer(file, 'ELSEWISE_CONFIG')]);
    expect(merge).toThrow(message);
    expect(merge).toThrow(file);
  });

  it('that are not there are refused by the variable', () => {
    expect(() => fileLayer('/no/such/file', 'ELSEWISE_CONFIG')).toThrow('ELSEWISE_CONFIG: cannot read /no/such/file');
  });
});

describe('options', () => {
  it('win, unless they are not given', () => {
    const layers = [defaults, ...environmentLayers(entries, { ELSEWISE_API_PORT: '81' })];
    const given = (port: number | undefined) => ({ origin: 'option', values: { api: { port } } });
    expect(mergeLayers(schema, [...layers, given(82)]).api.port).toBe(82);
    expect(mergeLayers(schema, [...layers, given(undefined)]).api.port).toBe(81);
    expect(originOf(['api', 'port'], [...layers, given(undefined)])).toBe('ELSEWISE_API_PORT');
  });
});

describe('masks', () => {
  it.each([
    ['hunter2', true, '***'],
    ['redis://user:pass@host:1', true, 'redis://***@host:1'],
    ['redis://:p@ss@host:1', true, 'redis://***@host:1'],
    ['redis://user:pass@host:1', false, 'redis://***@host:1'],
    [['a', 'b'], true, '***'],
    [['a', 'b'], false, '["a","b"]'],
    [8080, false, '8080'],
    [undefined, true, ''],
  ])('%s, secret: %s', (value, isSecret, expected) => {
    expect(masked(value, { isSecret })).toBe(expected);
  });
});
