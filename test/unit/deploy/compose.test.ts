/** docker-compose.yml and the image: files, commands, variables and ports are those of the product. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { configEntries, readConfig, readDefaults } from '../../../src/config.js';
import { checkCommandLine } from './commands.js';
import { ROOT, readText, readYaml } from './manifests.js';

const compose = readYaml('docker-compose.yml');
const services = Object.entries(compose.services as Record<string, Service>);
const { version, files } = JSON.parse(readText('package.json'));
const { worker, api } = readDefaults();
const dockerfile = readText('deploy/Dockerfile');

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: string[];
  readonly ports?: string[];
  readonly healthcheck: { readonly test: string[] };
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const ours = services.filter(([, { build }]) => build);

describe('compose', () => {
  it('brings up everything', () => {
    expect(services.map(([name]) => name)).toEqual(['redis', 'worker', 'api', 'prometheus', 'grafana']);
  });

  it.each(services)('%s has a fixed image, a health check, and files that there are', (_name, service) => {
    expect(service.image).toMatch(/:v?\d+\.\d+\.\d+(-\w+)?$/);
    expect(service.healthcheck.test[0]).toBe('CMD');
    const mounted = service.volumes?.map((volume) => volume.split(':')[0]) ?? [];
    for (const source of mounted) {
      const isThere = source.startsWith('./') ? existsSync(join(ROOT, source)) : source in compose.volumes;
      expect(isThere, source).toBe(true);
    }
    for (const name of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty(name);
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  });

  it.each(ours)('%s runs a command that there is, with variables that are known', async (_name, service) => {
    await checkCommandLine(service.command!);
    const known = configEntries().flatMap(({ variables }) => variables);
    const names = Object.keys(service.environment!);
    expect(names.filter((name) => ![...known, 'ELSEWISE_CONFIG'].includes(name))).toEqual([]);
    expect(service.image).toBe(`elsewise:${version}`);
    expect(existsSync(join(ROOT, service.build!.context, service.build!.dockerfile))).toBe(true);
  });

  it('gives a configuration that is accepted, mounted where it is looked for', () => {
    const { environment, volumes } = compose.services.api;
    const [source, target] = volumes[0].split(':');
    const file = environment.ELSEWISE_CONFIG.replace(target, source);
    const config = readConfig({}, { ELSEWISE_CONFIG: join(ROOT, file) });
    expect(config.api).toMatchObject({ host: '0.0.0.0', metricsWithoutToken: true });
    expect(config.api.tokens).toHaveLength(1);
  });

  it('asks for health where it is told', () => {
    expect(compose.services.worker.healthcheck.test.at(-1)).toBe(String(worker.port));
    expect(compose.services.api.healthcheck.test.at(-1)).toBe(String(api.port));
    expect(compose.services.api.ports).toEqual([`127.0.0.1:${api.port}:${api.port}`]);
  });

  it('has a Redis that keeps what it was given', () => {
    const command = compose.services.redis.command.join(' ');
    for (const part of ['--appendonly yes', '--maxmemory 1gb', '--maxmemory-policy noeviction'])
      expect(command).toContain(part);
  });
});

describe('image', () => {
  const instructions = dockerfile
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => line.split(/ (.*)/s) as [string, string]);
  const last = (name: string) => instructions.findLast(([instruction]) => instruction === name)?.[1];
  const ignored = readText('.dockerignore').split('\n');

  it('is built from a fixed base on the Node that the package asks for', () => {
    const [, image] = /NODE_IMAGE=(\S+)/.exec(dockerfile)!;
    expect(image).toMatch(/^node:20\.\d+\.\d+-\w+-slim$/);
    for (const [instruction, rest] of instructions)
      if (instruction === 'FROM') expect(rest).toMatch(/^\$\{NODE_IMAGE\} AS /);
  });

  it('copies files that there are and that the build may see', () => {
    const copied = instructions
      .filter(([instruction, rest]) => instruction === 'COPY' && !rest.startsWith('--from'))
      .flatMap(([, rest]) => rest.split(' ').slice(0, -1));
    for (const path of copied) {
      expect(existsSync(join(ROOT, path)), path).toBe(true);
      expect(ignored, path).toContain(`!${path}`);
    }
    const seen = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(seen.filter((path) => !copied.includes(path))).toEqual([]);
  });

  it('holds what the program reads at run time', () => {
    expect(files).toContain('config');
    for (const part of ['COPY config config', 'COPY package.json', 'dist dist', 'COPY examples/credit'])
      expect(dockerfile).toContain(part);
  });

  it('runs the command line, not as root, on the ports of the configuration', () => {
    const { bin } = JSON.parse(readText('package.json'));
    expect(last('ENTRYPOINT')).toBe(`["node", "/app/${bin.elsewise}"]`);
    expect(last('USER')).toBe('1000:1000');
    expect(last('EXPOSE')).toBe(`${worker.port} ${api.port}`);
    expect(last('HEALTHCHECK')).toContain(`"/app/deploy/healthcheck.mjs", "${worker.port}", "${api.port}"]`);
  });
});

describe('health check', () => {
  const check = (...ports: number[]) =>
    promisify(execFile)(process.execPath, [join(ROOT, 'deploy/healthcheck.mjs'), ...ports.map(String)]);

  it('ends with 0 when one of the ports is well, else with 1', async () => {
    let status = 200;
    const server = createServer((_request, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    await check(1, port);
    status = 503;
    await expect(check(port)).rejects.toMatchObject({ code: 1 });
    server.close();
    await expect(check(1)).rejects.toMatchObject({ code: 1 });
  });
});
