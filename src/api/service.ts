/** The parts that routes use: the stores, the queues, the answers, and the state of the server. */
import type { ReplayDesk } from '../jobs/audit/replay.js';
import type { ComparisonDesk } from '../jobs/comparison/comparison-desk.js';
import type { EventReader } from '../jobs/events/event-reader.js';
import type { ModelDesk } from '../jobs/model-desk.js';
import type { LetterOperations } from '../jobs/operator/letter-operations.js';
import type { Producer } from '../jobs/producer.js';
import type { KeyFile } from '../receipts/key-file.js';
import type { ReceiptIssuer } from '../receipts/receipt-issuer.js';
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
  /** The slots for rows that are solved again. */
  readonly replaySlots: WaitSlots;
  readonly replays: ReplayDesk;
  readonly metrics: RequestMetrics;
  /** Short questions about models. */
  readonly desk: ModelDesk;
  /** Undefined: the server has no keys for receipts. */
  readonly receipts: { readonly file: KeyFile; readonly issuer: ReceiptIssuer; readonly maxBytes: number } | undefined;
  /** Bulk replays and drops of dead letters. */
  readonly operations: LetterOperations;
  /** The slots for comparisons. */
  readonly comparisonSlots: WaitSlots;
  /** Comparisons of policies and models. */
  readonly comparisons: ComparisonDesk;
  /** The sessions of the console. */
  readonly sessions: Sessions;
  /** Aborted at shutdown, with the error for the caller: every wait ends. */
  readonly closing: AbortSignal;
  /** Whether the server accepts new requests at present. */
  readiness(): ProbeVerdict;
}
