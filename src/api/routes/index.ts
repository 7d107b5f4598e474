/** THE TABLE of routes. A new route is added to the file of its subject and to this table. Server, OpenAPI and tests follow. */

import type { Route } from '../route.js';
import { listAudit } from './audit.js';
import { addBatch, dropBatch, listed, retryFailed, showBatch, showResults } from './batches.js';
import { consoleRoutes } from './console.js';
import { deskRoutes } from './desk.js';
import { explain, showExplanation } from './explanations.js';
import { describeRoutes, health, metrics, readiness } from './probes.js';
import { registryRoutes } from './registry.js';
import { summariseBatch } from './summaries.js';

export const routes: readonly Route[] = [
  explain,
  showExplanation,
  addBatch,
  listed,
  showBatch,
  showResults,
  summariseBatch,
  dropBatch,
  retryFailed,
  listAudit,
  ...registryRoutes,
  ...deskRoutes,
  ...consoleRoutes,
  describeRoutes(() => routes),
  health,
  readiness,
  metrics,
];
