/** The types of redis.mjs, for tests. */
export interface RedisOptions {
  port?: number;
  directory?: string;
  appendonly?: boolean;
  password?: string;
  maxmemory?: string;
  policy?: string;
  args?: readonly string[];
  sentinelFile?: string;
}

export interface ProvidedRedis {
  readonly url: string;
  stop(): Promise<void>;
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  readonly pid: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export function provideRedis(): Promise<ProvidedRedis>;
export function findServer(): string | undefined;
export function ping(url: string): Promise<unknown>;
export function startRedis(options?: RedisOptions): Promise<RedisServer>;
export function findFreePort(): Promise<number>;
