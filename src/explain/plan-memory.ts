/** The memory of a plan: its model, which relaxed plans share, its own parts, and the parts that some rows build. */
import type { LoadedModel } from '../models/load.js';
import { solvers } from '../solvers/index.js';
import { retainedBytes } from './retained-bytes.js';

interface Counted {
  readonly bytes: number;
  readonly objects: ReadonlySet<object>;
}

const models = new WeakMap<LoadedModel, Counted>();
/** Objects that belong to no single plan: the table of solvers, and other plans, whose clock a solver may refer to. */
const owners = new WeakSet<object>([solvers, ...solvers]);

/** Memory that a loaded model keeps. */
export function modelBytes(model: LoadedModel): number {
  return countModel(model).bytes;
}

/** Of the document, which may have many objects, only the root is remembered: no other object refers into it. */
function countModel(model: LoadedModel): Counted {
  let counted = models.get(model);
  if (!counted) {
    const { document } = model;
    const objects = new Set<object>([document]);
    const bytes = retainedBytes(model, [], objects) + retainedBytes({ ...document }, [objects]);
    counted = { bytes, objects };
    models.set(model, counted);
  }
  return counted;
}

export class PlanMemory {
  readonly #model: LoadedModel;
  readonly #parts: object;
  #own: Counted | undefined;

  /** `parts`: the objects that the plan keeps for all rows. */
  constructor(plan: object, model: LoadedModel, parts: object) {
    owners.add(plan);
    this.#model = model;
    this.#parts = parts;
  }

  get modelBytes(): number {
    return countModel(this.#model).bytes;
  }

  get ownBytes(): number {
    return this.#counted.bytes;
  }

  /** The memory of a part that belongs neither to the model nor to the plan's other parts. */
  bytesBeside(part: object): number {
    return retainedBytes(part, [owners, countModel(this.#model).objects, this.#counted.objects]);
  }

  get #counted(): Counted {
    if (!this.#own) {
      const objects = new Set<object>();
      this.#own = { bytes: retainedBytes(this.#parts, [owners, countModel(this.#model).objects], objects), objects };
    }
    return this.#own;
  }
}
