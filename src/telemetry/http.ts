/** The worker's own port: `/metrics` for Prometheus, `/healthz` and `/readyz` for restarts and routing. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { ElsewiseError } from '../documents/error.js';

export interface ProbeVerdict {
  readonly isGood: boolean;
  readonly reason: string;
}

export interface Probes {
  readonly registry: Registry;
  /** Whether the process works. If not, a restart helps. */
  health(): ProbeVerdict;
  /** Whether the process accepts new work at present. */
  readiness(): ProbeVerdict;
}

export interface ProbeServer {
  readonly port: number;
  close(): Promise<void>;
}

interface ProbeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Port 0: any free port. */
export async function serveProbes(port: number, probes: Probes): Promise<ProbeServer> {
  const server = createServer((request, response) => void respond(probes, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ElsewiseError('usage', `cannot listen on port ${port}: ${error.message}`)),
    );
    server.listen(port, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const ROUTES: Readonly<Record<string, (probes: Probes) => ProbeAnswer | Promise<ProbeAnswer>>> = {
  '/metrics': async ({ registry }) => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  '/healthz': (probes) => tell(probes.health()),
  '/readyz': (probes) => tell(probes.readiness()),
};

async function respond(probes: Probes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?')[0];
  const answer = await answerTo(request.method ?? 'GET', path, probes);
  response.writeHead(answer.status, { 'content-type': answer.type, 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : answer.body);
}

async function answerTo(method: string, path: string, probes: Probes): Promise<ProbeAnswer> {
  if (!Object.hasOwn(ROUTES, path)) return plain(404, `known are ${Object.keys(ROUTES).join(', ')}`);
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET and HEAD');
  try {
    return await ROUTES[path](probes);
  } catch (error) {
    return plain(500, (error as Error).message);
  }
}

function tell({ isGood, reason }: ProbeVerdict): ProbeAnswer {
  return plain(isGood ? 200 : 503, reason);
}

function plain(status: number, text: string): ProbeAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
