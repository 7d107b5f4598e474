/** THE TABLE of routes. A new route is added to the file of its subject and to this table. Server, OpenAPI and tests follow. */

import type { Route } from '../route.js';
import { addBatch, dropBatch, retryFailed, showBatch, showResults } from './batches.js';
import { explain, showExplanation } from './explanations.js';
import { listModels, pushModel, showModel, showModelVersion } from './models.js';
import { describeRoutes, health, metrics, readiness } from './probes.js';

export const routes: readonly Route[] = [
  explain,
  showExplanation,
  addBatch,
  showBatch,
  showResults,
  dropBatch,
  retryFailed,
  listModels,
  showModel,
  showModelVersion,
  pushModel,
  describeRoutes(() => routes),
  health,
  readiness,
  metrics,
];
