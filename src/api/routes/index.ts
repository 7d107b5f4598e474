/** THE TABLE of routes. A new route is added to the file of its subject and to this table. Server, OpenAPI and tests follow. */

import type { Route } from '../route.js';
import { listAudit } from './audit.js';
import { auditChainRoutes } from './audit-chain.js';
import { addBatch, dropBatch, listed, retryFailed, showBatch, showResults } from './batches.js';
import { comparisonRoutes } from './comparisons.js';
import { consoleRoutes } from './console.js';
import { deskRoutes } from './desk.js';
import { dropExplanation, explain, showExplanation, showReceipt } from './explanations.js';
import { explainInstances } from './instances.js';
import { showLetter } from './letters.js';
import { actionRoutes } from './operator/action-routes.js';
import { letterRoutes } from './operator/letter-routes.js';
import { stateRoutes } from './operator/state-routes.js';
import { describeRoutes, health, metrics, readiness } from './probes.js';
import { checkReceiptOf } from './receipt-checks.js';
import { showReceiptKeys } from './receipt-keys.js';
import { registryRoutes } from './registry.js';
import { replayRecord } from './replays.js';
import { reportBatch, summariseBatch } from './summaries.js';

export const routes: readonly Route[] = [
  explain,
  showExplanation,
  showLetter,
  showReceipt,
  dropExplanation,
  explainInstances,
  addBatch,
  listed,
  showBatch,
  showResults,
  summariseBatch,
  reportBatch,
  dropBatch,
  retryFailed,
  listAudit,
  ...auditChainRoutes,
  replayRecord,
  checkReceiptOf,
  ...stateRoutes,
  ...letterRoutes,
  ...actionRoutes,
  ...registryRoutes,
  ...deskRoutes,
  ...comparisonRoutes,
  ...consoleRoutes,
  showReceiptKeys,
  describeRoutes(() => routes),
  health,
  readiness,
  metrics,
];
