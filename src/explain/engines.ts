/** The engines of the table of solvers, for asynchronous drivers of explanations. */
import type { LoadedModel } from '../models/load.js';
import type { Goal } from '../models/region.js';
import { type Engine, EngineNeeded } from '../solvers/engine.js';
import { solvers } from '../solvers/index.js';
import type { Rung } from './ladder.js';

export { type Engine, EngineNeeded };

export const engines: readonly Engine[] = distinct(solvers.map(({ engine }) => engine));

/** How many engines this thread has loaded. */
export const engineLoads = (): number => engines.reduce((sum, { loads }) => sum + loads, 0);

/** Set while a broken engine is being reloaded. A row that starts before the reload ends may get another answer. */
export function enginesReloading(): Promise<unknown> | null {
  if (!engines.some(({ reloading }) => reloading)) return null;
  return Promise.allSettled(engines.map(({ reloading }) => reloading));
}

/** Solves, and solves again after loading each missing engine. `solve` starts anew each time. */
export async function withEngines<T>(solve: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await solve();
    } catch (error) {
      if (!(error instanceof EngineNeeded)) throw error;
      await error.engine.load();
    }
  }
}

export const enginesOf = (ladders: readonly (readonly Rung[])[]): Engine[] =>
  distinct(ladders.flat().map(({ solver }) => solver.engine));

/**
 * The engines that a row with its own target may need. Engines solve pieces without atoms. The pieces of all classes of a family are of the
 * same kinds, and a score's interval has a piece without atoms only where a class has one. The first class with a region therefore decides.
 */
export function enginesForOwnTargets({ model, classes }: LoadedModel): readonly Engine[] {
  const goals: Goal[] = classes.length
    ? classes.map((_, index) => ({ kind: 'class', index, margin: 0 }))
    : [{ kind: 'interval', index: 0, from: 0, to: Infinity }];
  for (const goal of goals) {
    const region = model.region(goal);
    if (region === 'unknown') return [];
    if (region.length) return region.some(({ atoms }) => !atoms.length) ? engines : [];
  }
  return [];
}

function distinct(list: readonly (Engine | undefined)[]): Engine[] {
  return [...new Set(list.filter((engine) => engine !== undefined))];
}
