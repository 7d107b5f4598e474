/**
 * The API as a running server. The server outlives its Redis: while Redis is unreachable, readiness is false and requests are told to
 * retry. The server drains in order: unready first, then no new requests. Requests that wait for an answer are told its address. Other
 * requests may end. After the limit they are cut off, and a cut upload or download is visibly incomplete.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { DestinationStream, Logger } from 'pino';
import { type Config, config } from '../config.js';
import { ElsewiseError } from '../documents/error.js';
import { ReplayDesk } from '../jobs/audit/replay.js';
import { SOFTWARE } from '../jobs/audit/software.js';
import { ComparisonDesk } from '../jobs/comparison/comparison-desk.js';
import { EventReader } from '../jobs/events/event-reader.js';
import { ModelDesk } from '../jobs/model-desk.js';
import { LetterOperations } from '../jobs/operator/letter-operations.js';
import { Producer } from '../jobs/producer.js';
import { PlanCache } from '../jobs/worker/plan-cache.js';
import { KeyFile } from '../receipts/key-file.js';
import { ReceiptIssuer } from '../receipts/receipt-issuer.js';
import { runPreflight } from '../store/redis/preflight.js';
import { connect } from '../store/redis/redis.js';
import type { StoreSettings } from '../store/settings.js';
import { type Store, storeOver } from '../store/store.js';
import type { ProbeVerdict } from '../telemetry/http.js';
import { RequestMetrics } from '../telemetry/request-metrics.js';
import { createApp } from './app.js';
import { EventAnswers } from './await-answer.js';
import { createLog } from './log.js';
import { RedisPresence } from './redis-presence.js';
import { routes } from './routes/index.js';
import type { Service } from './service.js';
import { Sessions } from './sessions.js';
import type { ApiSettings } from './settings.js';
import { TokenTable } from './tokens.js';
import { WaitSlots } from './wait-slots.js';

export interface ApiOptions {
  readonly store: StoreSettings;
  readonly api: ApiSettings;
  /** Default: the configuration. */
  readonly receipts?: Config['receipts'];
  /** Every client that reaches the port has all rights. Allowed on the loopback only. */
  readonly insecureNoAuth: boolean;
  /** The destination of the log. */
  readonly log: DestinationStream;
}

const BYTES_PER_MB = 1_048_576;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
/** A web page in a browser of this machine could reach the port under another name. Such requests are refused. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** A file that cannot be read is refused at the start. */
async function openReceipts(settings: Config['receipts'], log: Logger): Promise<Service['receipts']> {
  if (!settings.keys) return undefined;
  const file = new KeyFile(settings.keys, (message) => log.warn(message));
  const { signer } = await file.keys();
  if (!signer) throw new ElsewiseError('usage', 'the first key has no private part and cannot sign', 'receipts.keys');
  const { maxBytes } = settings;
  return { file, maxBytes, issuer: new ReceiptIssuer(() => file.keys(), { ...settings, software: SOFTWARE }) };
}

export class ApiServer {
  readonly #options: ApiOptions;
  readonly #service: Service;
  readonly #closing = new AbortController();
  #app: FastifyInstance | undefined;
  #address = '';
  #draining: Promise<void> | undefined;

  /** Resolves once the server listens. Rejects with `redis-away` without Redis, and with `usage` for unsafe settings. */
  static async start(options: ApiOptions): Promise<ApiServer> {
    refuseUnsafe(options);
    const tokens = new TokenTable(options.api.tokens, options.insecureNoAuth);
    const log = createLog(options.api, options.log);
    const receipts = await openReceipts(options.receipts ?? config.receipts, log);
    await runPreflight(options.store, (text) => log.warn(text));
    const redis = await connect(options.store);
    const server = new ApiServer(options, storeOver(redis, options.store), tokens, receipts);
    try {
      await server.#listen(tokens, log);
    } catch (error) {
      await server.drain();
      throw error;
    }
    return server;
  }

  private constructor(options: ApiOptions, store: Store, tokens: TokenTable, receipts: Service['receipts']) {
    const waitSlots = new WaitSlots(options.api.maxWaiting);
    const redis = new RedisPresence(store.redis);
    const models = new PlanCache(store.models, options.api.modelMemoryMb * BYTES_PER_MB);
    this.#options = options;
    this.#service = {
      settings: options.api,
      store,
      redis,
      producer: new Producer(store),
      reader: new EventReader(),
      answers: new EventAnswers(store, waitSlots),
      waitSlots,
      tableSlots: new WaitSlots(options.api.maxTables),
      replays: new ReplayDesk(store, models),
      replaySlots: new WaitSlots(options.api.maxReplays),
      receipts,
      operations: new LetterOperations(store, () => redis.isUp),
      comparisonSlots: new WaitSlots(options.api.maxComparisons),
      desk: new ModelDesk(store, models),
      comparisons: new ComparisonDesk(store, models, options.api),
      sessions: new Sessions(store, tokens, options.api),
      metrics: new RequestMetrics({ isRedisUp: () => redis.isUp, waiting: () => waitSlots.taken }),
      closing: this.#closing.signal,
      readiness: () => this.#readiness(),
    };
  }

  /** `http://127.0.0.1:8080` */
  get address(): string {
    return this.#address;
  }

  /** Drains as described above. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #listen(tokens: TokenTable, log: Logger): Promise<void> {
    const { api, insecureNoAuth } = this.#options;
    const app = await createApp({
      service: this.#service,
      routes,
      tokens,
      log,
      hosts: insecureNoAuth ? LOOPBACK_HOST : undefined,
    });
    this.#app = app;
    await app
      .listen({ host: api.host, port: api.port, listenTextResolver: () => 'listening' })
      .catch((error: Error) => {
        throw new ElsewiseError('usage', `cannot listen on ${api.host}, port ${api.port}: ${error.message}`);
      });
    this.#service.operations.watch();
    this.#address = urlOf(app.server.address() as AddressInfo);
  }

  async #drain(): Promise<void> {
    const { unreadyMs, drainMs } = this.#options.api;
    if (this.#app?.server.listening) await sleep(unreadyMs);
    this.#closing.abort(new ElsewiseError('interrupted', 'the server is going down: send the request again'));
    const cut = setTimeout(() => this.#app?.server.closeAllConnections(), drainMs);
    await this.#app?.close();
    clearTimeout(cut);
    if (this.#service.redis.isUp) await this.#service.operations.close();
    this.#service.redis.stop();
    await this.#service.reader.close();
    await this.#service.desk.close();
    await this.#service.replays.close();
    await this.#service.comparisons.close();
    await this.#service.answers.close();
    await this.#service.producer.close();
  }

  #readiness(): ProbeVerdict {
    if (this.#draining) return { isGood: false, reason: 'draining' };
    return this.#service.redis.isUp ? { isGood: true, reason: 'ready' } : { isGood: false, reason: 'Redis is away' };
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Without tokens the server starts only with --insecure-no-auth, and then serves only its own machine. */
function refuseUnsafe({ api, insecureNoAuth }: ApiOptions): void {
  const refuse = (text: string) => new ElsewiseError('usage', text);
  if (insecureNoAuth && api.tokens.length > 0) throw refuse('--insecure-no-auth and tokens exclude each other');
  if (insecureNoAuth && !LOOPBACK.includes(api.host))
    throw refuse(`--insecure-no-auth is for the loopback only, not for ${api.host}: make a token (elsewise token)`);
  if (!insecureNoAuth && api.tokens.length === 0)
    throw refuse('no token is configured: make a token with `elsewise token`, see --help');
}
