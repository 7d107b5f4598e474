/** The parts that routes use: the stores, the queues, the answers, and the state of the server. */
import type { EventReader } from '../jobs/events/event-reader.js';
import type { ModelDesk } from '../jobs/model-desk.js';
import type { Producer } from '../jobs/producer.js';
import type { Store } from '../store/store.js';
import type { ProbeVerdict } from '../telemetry/http.js';
import type { RequestMetrics } from '../telemetry/request-metrics.js';
import type { EventAnswers } from './await-answer.js';
import type { RedisPresence } from './redis-presence.js';
import type { Sessions } from './sessions.js';
import type { ApiSettings } from './settings.js';
import type { WaitSlots } from './wait-slots.js';

export interface Service {
  readonly settings: ApiSettings;
  readonly store: Store;
  readonly redis: RedisPresence;
  readonly producer: Producer;
  /** The reader of events. */
  readonly reader: EventReader;
  readonly answers: EventAnswers;
  /** The slots for waiting requests. */
  readonly waitSlots: WaitSlots;
  /** The slots for threads that convert tables. */
  readonly tableSlots: WaitSlots;
  readonly metrics: RequestMetrics;
  /** Short questions about models. */
  readonly desk: ModelDesk;
  /** The sessions of the console. */
  readonly sessions: Sessions;
  /** Aborted at shutdown, with the error for the caller: every wait ends. */
  readonly closing: AbortSignal;
  /** Whether the server accepts new requests at present. */
  readiness(): ProbeVerdict;
}
