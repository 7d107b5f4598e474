/**
 * Engines: modules in WebAssembly that some solvers need. Loading one takes tens of milliseconds and megabytes of memory in every
 * thread, and most plans never reach a solver that needs one. Solving never waits, therefore a solver that misses its engine throws
 * `EngineNeeded`. The asynchronous caller loads the engine and solves the row again from its beginning.
 */

export interface Engine {
  readonly name: string;
  /** How often the engine was loaded in this thread. */
  readonly loads: number;
  /** Loads the engine once per thread. Later calls wait for the same loading. */
  load(): Promise<void>;
  /** Set while a broken engine is being loaded anew. Until then its solvers report failure. */
  readonly reloading: Promise<void> | null;
}

export class EngineNeeded extends Error {
  constructor(readonly engine: Engine) {
    super(`the engine ${engine.name} is not loaded: load it and explain the row again`);
  }
}
