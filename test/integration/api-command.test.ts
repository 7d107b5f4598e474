/** `elsewise serve` and `elsewise token` as processes, and the examples of docs/api.md against them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_STATUS } from '../../dist/api/http-status.js';
import { routes } from '../../dist/api/routes/index.js';
import { MODEL, World } from './queue-world.js';

const PROGRAM = 'dist/cli/main.js';
const PAGE = readFileSync('docs/api.md', 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```sh\n(.*?)^```/gms)]
  .map(([, code]) => code)
  .filter((code) => /^curl /m.test(code));

let world: World;
let server: ReturnType<typeof serve>;
let address: string;
let token: string;

beforeAll(async () => {
  world = await World.create();
  const { stdout } = await world.run('token', '--name', 'me', '--roles', 'admin');
  const [secret, entry] = stdout.trimEnd().split('\n');
  token = secret;
  writeFileSync(world.path('tokens.json'), `[${entry}]`);
  symlinkSync(dirname(dirname(MODEL)), world.path('examples'));
  await world.startWorker();
  server = serve('--tokens', world.path('tokens.json'));
  address = await server.address;
});

afterAll(async () => {
  server.child.kill('SIGKILL');
  await world.close();
});

function serve(...options: string[]) {
  const { url, keyPrefix, queuePrefix } = world.store.settings;
  const env = { ...process.env, REDIS_URL: url, ELSEWISE_PREFIX: keyPrefix, ELSEWISE_QUEUE_PREFIX: queuePrefix };
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', ...options], { env });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const started = once(child.stdout, 'data').then(([text]) => /^serving on (\S+)\n$/.exec(String(text))![1]);
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, address: started, ended, errors: () => errors };
}

async function shell(code: string): Promise<{ code: number; output: string }> {
  const env = { ...process.env, API: address, TOKEN: token };
  const child = spawn('bash', ['-euo', 'pipefail', '-c', code], { env, cwd: world.directory });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const [exit] = await once(child, 'close');
  return { code: exit as number, output };
}

describe('the page', () => {
  it('has examples that work', async () => {
    expect(EXAMPLES.length).toBeGreaterThan(4);
    for (const example of EXAMPLES) {
      const { code, output } = await shell(example);
      expect(code, `${example}\n${output}`).toBe(0);
    }
    expect(readFileSync(world.path('results.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(3000);
  });

  it('names every route with its role, and every code with its status', () => {
    for (const { method, path, access } of routes) expect(PAGE).toContain(`| \`${method} ${path}\` | ${access} |`);
    const parameters = routes.flatMap(({ query }) => Object.keys(query?.shape ?? {}));
    for (const name of parameters) expect(PAGE).toMatch(new RegExp(`[?&\`]${name}\\b`));
    for (const [code, { status }] of Object.entries(HTTP_STATUS)) expect(PAGE).toContain(`| \`${code}\` | ${status} |`);
  });
});

describe('serve', () => {
  it('logs JSON lines, without the token', async () => {
    const lines = server.errors().trimEnd().split('\n');
    for (const line of lines) expect(JSON.parse(line).service).toBe('elsewise-api');
    expect(server.errors()).not.toContain(token);
  });

  it('ends with 0 on SIGTERM', async () => {
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('refuses to be open by mistake', async () => {
    const none = await world.run('serve', '--port', '0');
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('no token is configured');
    expect((await world.run('serve', '--insecure-no-auth', '--host', '0.0.0.0')).code).toBe(2);
    expect((await world.run('token', '--name', 'x', '--roles', 'raed')).stderr).toContain('did you mean "read"?');
  });

  it('warns when it is open on purpose', async () => {
    const open = serve('--insecure-no-auth');
    expect((await fetch(`${await open.address}/v1/models`)).status).toBe(200);
    expect(open.errors()).toContain('everyone on this machine may do everything');
    const rows = {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"id":"x","target":"approved","features":{}}\n',
    };
    expect((await fetch(`${await open.address}/v1/batches?model=credit&batch=open`, rows)).status).toBe(201);
    expect((await world.store.batches.status('open')).manifest.by).toBe('anyone');
    open.child.kill('SIGTERM');
    expect(await open.ended).toBe(0);
  });
});
