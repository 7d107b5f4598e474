/**
 * One request to a scorer or a webhook, and its answer. Node's own client suffices: keep-alive, our own lookup, no redirects. The time limit
 * applies to the whole exchange, and an answer that is too long is cut off.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage, Agent as PlainAgent } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import { ScorerFault } from '../scorer-fault.js';
import { type AddressRules, checkAddress, guardedLookup, hostOf } from './address-guard.js';

export interface ExchangeSettings extends AddressRules {
  /** Bearer tokens by host. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly maxResponseBytes: number;
}

export interface ScorerCall {
  readonly url: URL;
  /** JSON. Omitted: a GET. */
  readonly body?: string;
  /** Further headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Statuses below 500 that may pass: the scorer was slow or busy. */
const PASSING_STATUSES = [408, 425, 429];

export class HttpExchange {
  readonly #settings: ExchangeSettings;
  readonly #agents: { readonly 'http:': PlainAgent; readonly 'https:': TlsAgent };

  constructor(settings: ExchangeSettings) {
    this.#settings = settings;
    const options = { keepAlive: true, lookup: guardedLookup(settings) };
    this.#agents = { 'http:': new PlainAgent(options), 'https:': new TlsAgent(options) };
  }

  /** The answer as JSON. Rejects with a `ScorerFault`. */
  async send(call: ScorerCall, timeoutMs: number): Promise<unknown> {
    return parseJson(await this.read(call, timeoutMs));
  }

  /** The answer, whatever its content. Rejects with a `ScorerFault`. */
  async read(call: ScorerCall, timeoutMs: number): Promise<Buffer> {
    checkAddress(call.url, this.#settings);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await answered(this.#request(call, signal), call.body);
      return await this.#read(response);
    } catch (error) {
      if (error instanceof ScorerFault) throw error;
      if (signal.aborted) throw new ScorerFault('timeout', `no answer within ${timeoutMs} ms`);
      const { code, message } = error as NodeJS.ErrnoException;
      throw new ScorerFault('connection', `no connection: ${code ?? message}`);
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #request({ url, body, headers: given }: ScorerCall, signal: AbortSignal): ClientRequest {
    const headers: Record<string, string> = { accept: 'application/json', 'accept-encoding': 'identity', ...given };
    const token = this.#token(url);
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const method = body === undefined ? 'GET' : 'POST';
    const isTls = url.protocol === 'https:';
    const agent = this.#agents[isTls ? 'https:' : 'http:'];
    return (isTls ? httpsRequest : httpRequest)(url, { method, headers, agent, signal });
  }

  #token(url: URL): string | undefined {
    const { tokens } = this.#settings;
    const names = [hostOf(url), ...(url.port ? [] : [url.hostname])];
    return names.map((name) => (Object.hasOwn(tokens, name) ? tokens[name] : undefined)).find(Boolean);
  }

  async #read(response: IncomingMessage): Promise<Buffer> {
    const fault = faultOf(response);
    if (fault) {
      response.destroy();
      throw fault;
    }
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > this.#settings.maxResponseBytes) throw tooLong(this.#settings.maxResponseBytes);
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}

function answered(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

function faultOf({ statusCode = 0, headers }: IncomingMessage): ScorerFault | undefined {
  if (statusCode >= 300 && statusCode < 400)
    return new ScorerFault('refused', `status ${statusCode}: redirects are not followed`);
  if (statusCode < 200 || statusCode >= 300) {
    const isPassing = statusCode >= 500 || PASSING_STATUSES.includes(statusCode);
    return new ScorerFault('status', `status ${statusCode}`, isPassing);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity' ? undefined : new ScorerFault('not-json', 'the answer is compressed');
}

function tooLong(limit: number): ScorerFault {
  return new ScorerFault('too-long', `the answer is longer than ${limit} bytes (scoring.maxResponseBytes)`, false);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ScorerFault('not-json', 'the answer is not JSON in UTF-8');
  }
}
