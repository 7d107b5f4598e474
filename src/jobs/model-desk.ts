/**
 * Short questions about a model of the registry, for pages: the scores of a row, the population, the faults of a policy, a letter. One thread
 * answers them, and the models stay in memory up to a limit. The main loop never parses a model.
 */
import { ElsewiseError, type PlacedFault } from '../documents/error.js';

import type { ModelPopulation } from '../models/population.js';
import { type ModelPin, pinOf } from '../store/batches/manifest.js';
import type { Store } from '../store/store.js';
import type { LetterWish } from './letters.js';
import type { SharedModel } from './threads/messages.js';
import { rowLimitMs, SolverPool } from './threads/pool.js';
import { planKey } from './threads/shared-documents.js';
import type { PlanCache } from './worker/plan-cache.js';

/** The time for one prediction. A model that is scored elsewhere may take a while. */
const PREDICTION_MS = 5_000;

export class ModelDesk {
  readonly #store: Store;
  readonly #models: PlanCache;
  #pool: SolverPool | undefined;

  constructor(store: Store, models: PlanCache) {
    this.#store = store;
    this.#models = models;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  /** The prediction for a row, as `elsewise predict` writes it: one line of JSON. Throws for an invalid row. */
  async predict(reference: string, features: object): Promise<string> {
    const { pin, model } = await this.#open(reference);
    const bytes = Buffer.from(`${JSON.stringify({ id: '1', features })}\n`);
    const shape = { layout: { format: 'ndjson' }, output: 'ndjson', firstRow: 1, rows: 1 } as const;
    const task = { kind: 'predict', planKey: planKey(pin), model, bytes, ...shape } as const;
    const { bytes: line } = await this.#threads.run(task, { rowLimitMs: rowLimitMs(PREDICTION_MS) });
    return Buffer.from(line).toString();
  }

  async population(reference: string, rows: number): Promise<ModelPopulation> {
    const { model } = await this.#open(reference);
    return this.#threads.runDocument({ kind: 'population', model, rows });
  }

  async featureNames(reference: string): Promise<readonly string[]> {
    const { features } = await this.population(reference, 0);
    return features.map(({ name }) => name);
  }

  /** All faults of a policy. Without a model only its form is checked. */
  async policyFaults(policy: unknown, reference: string | undefined): Promise<readonly PlacedFault[]> {
    const model = reference === undefined ? undefined : (await this.#open(reference)).model;
    return this.#threads.runDocument({ kind: 'check', model, policy });
  }

  /** The letter about a result, with the model of the result. */
  async letter(wish: LetterWish): Promise<string> {
    const { name, version, digest } = wish.result.model;
    const { pin, model } = await this.#open(version === null ? name : `${name}@${version}`);
    if (pin.digest !== digest)
      throw new ElsewiseError('conflict', `the result is of another model than ${name}@${pin.version}: ${digest}`);
    return (await this.#threads.runDocument({ kind: 'letter', model, ...wish })).text;
  }

  async #open(reference: string): Promise<{ pin: ModelPin; model: SharedModel }> {
    const pin = pinOf(await this.#store.models.resolve(reference));
    return { pin, model: await this.#models.model(pin) };
  }

  get #threads(): SolverPool {
    this.#pool ??= new SolverPool({ threads: 1 });
    return this.#pool;
  }
}

/** Refuses a prediction of an invalid row, with all faults of the row. */
export function refuseInvalid(line: string): Record<string, unknown> {
  const { reason, ...prediction } = JSON.parse(line) as Record<string, unknown> & { reason?: InvalidReason };
  if (!reason) return prediction;
  const faults = (reason.faults ?? []).map(({ path, message }) => ({ path: `body.${path}`, message }));
  throw new ElsewiseError('bad-row', reason.message, `body.${reason.path}`, faults);
}

interface InvalidReason {
  readonly path: string;
  readonly message: string;
  readonly faults?: readonly { readonly path: string; readonly message: string }[];
}
