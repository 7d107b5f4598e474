/** One connection and the stores over it, for commands and producers. */
import { config } from '../config.js';
import { AuditStore } from './audit/audit-store.js';
import { BatchIndex } from './batches/batch-index.js';
import { BatchStore } from './batches/batch-store.js';
import { OpenBatches } from './batches/open-batches.js';
import { ResultStore } from './batches/result-store.js';
import { DeadStore } from './events/dead-store.js';
import { RequestStore } from './events/request-store.js';
import { Keys } from './keys.js';
import { KnownRowStore } from './known-rows/known-row-store.js';
import { ActionLog } from './operator/action-log.js';
import { OperationStore } from './operator/operation-store.js';
import { WorkerRegistry } from './operator/worker-registry.js';
import { connect, type RedisClient } from './redis/redis.js';
import { asRedisFailure } from './redis/redis-failure.js';
import { ModelStore } from './registry/model-store.js';
import { PolicyStore } from './registry/policy-store.js';
import { ScheduleStore } from './schedules/schedule-store.js';
import type { StoreSettings } from './settings.js';

export interface Store {
  readonly redis: RedisClient;
  readonly settings: StoreSettings;
  readonly models: ModelStore;
  readonly policies: PolicyStore;
  readonly batches: BatchStore;
  readonly batchIndex: BatchIndex;
  readonly results: ResultStore;
  readonly requests: RequestStore;
  readonly dead: DeadStore;
  readonly schedules: ScheduleStore;
  readonly knownRows: KnownRowStore;
  readonly audit: AuditStore;
  readonly actions: ActionLog;
  readonly operations: OperationStore;
  readonly workers: WorkerRegistry;
}

export function storeOver(redis: RedisClient, settings: StoreSettings): Store {
  const keys = new Keys(settings.keyPrefix);
  const openBatches = new OpenBatches(redis, keys, settings.batchTtlSeconds);
  const { maxDocumentMb } = settings;
  return {
    redis,
    settings,
    models: new ModelStore(redis, { keys: keys.models, openBatches, maxDocumentMb }),
    policies: new PolicyStore(redis, { keys: keys.policies, openBatches, maxDocumentMb }),
    batches: new BatchStore(redis, keys),
    batchIndex: new BatchIndex(redis, keys),
    results: new ResultStore(redis, keys, settings),
    requests: new RequestStore(redis, keys),
    dead: new DeadStore(redis, keys, config.deadLetters),
    schedules: new ScheduleStore(redis, keys, config.schedule),
    knownRows: new KnownRowStore(redis, keys, settings.onceTtlSeconds),
    audit: new AuditStore(redis, keys),
    actions: new ActionLog(redis, keys, config.actions),
    operations: new OperationStore(redis, keys),
    workers: new WorkerRegistry(redis, keys, config.worker),
  };
}

/** Connects, runs and disconnects. Errors and refusals are reported with advice. */
export async function withStore<T>(settings: StoreSettings, use: (store: Store) => Promise<T>): Promise<T> {
  const redis = await connect(settings);
  try {
    return await use(storeOver(redis, settings));
  } catch (error) {
    throw asRedisFailure(settings, error);
  } finally {
    redis.disconnect();
  }
}
