/** THE TABLE of routes. A new one is a route in the file of its subject and a row here; server, OpenAPI and tests follow. */

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
