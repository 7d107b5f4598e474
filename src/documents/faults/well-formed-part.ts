/**
 * The well-formed part of a document: the document without the values at given places.
 *
 *   part(document)  =  document  without  every value that has a fault
 *
 * A check that needs several values runs only on a document whose values fit the schema. Such a check runs on the part, and finds its faults in
 * the same pass as the faults of the schema. The document itself stays unchanged: only containers of values that are left out are copied.
 */
import { isNested } from '../nesting.js';

type Steps = readonly PropertyKey[];

const ABSENT = Symbol('absent');

export class WellFormedPart {
  /** Undefined: nothing is left. */
  value: unknown;
  /** The places that are left out. */
  readonly #gone: Steps[] = [];
  /** The original indices of the elements that are left, by the place of their list. */
  readonly #kept = new Map<string, { readonly steps: Steps; indices: readonly number[] }>();

  constructor(document: unknown) {
    this.value = document;
  }

  /** Leaves out the values at places of the original document. The holder of a missing key goes with the key. */
  leaveOut(places: readonly Steps[]): void {
    const before = [...this.#gone];
    for (const steps of places) {
      const isMissing = before.some((gone) => keyOf(gone) === keyOf(steps));
      this.#leaveOut(isMissing ? steps.slice(0, -1) : steps);
    }
  }

  #leaveOut(steps: Steps): void {
    if (this.#gone.some((gone) => isPrefix(gone, steps))) return;
    const rest = this.#without(this.value, steps, 0);
    this.value = rest === ABSENT ? undefined : rest;
  }

  /** Puts the only possible value at a place. */
  replace(steps: Steps, only: unknown): void {
    if (!this.#gone.some((gone) => isPrefix(gone, steps))) this.value = this.#with(this.value, steps, 0, only);
  }

  /** Whether a value at the place or below it was left out: the rest says nothing about the place. */
  isTouched(steps: Steps): boolean {
    return this.#gone.some((gone) => isPrefix(steps, gone));
  }

  /** A place in the part -> the place in the document. */
  originalSteps(steps: Steps): PropertyKey[] {
    const original: PropertyKey[] = [];
    for (const step of steps) {
      const list = this.#kept.get(keyOf(original));
      original.push(list && typeof step === 'number' ? (list.indices[step] ?? step) : step);
    }
    return original;
  }

  /** The same for a path in words. `join` makes words of steps. */
  originalPath(path: string, join: (steps: Steps) => string): string {
    let original = path;
    for (const { steps, indices } of [...this.#kept.values()].sort((a, b) => a.steps.length - b.steps.length)) {
      const list = `${join(steps)}[`;
      if (!original.startsWith(list)) continue;
      const end = original.indexOf(']', list.length);
      const index = Number(original.slice(list.length, end));
      original = `${list}${indices[index] ?? index}${original.slice(end)}`;
    }
    return original;
  }

  #without(value: unknown, steps: Steps, depth: number): unknown {
    const place = steps.slice(0, depth);
    const step = this.#stepIn(value, place, steps[depth]);
    if (depth === steps.length || !isNested(value) || !Object.hasOwn(value, step)) {
      this.#gone.push(place);
      return ABSENT;
    }
    const child = this.#without(Reflect.get(value, step), steps, depth + 1);
    if (child !== ABSENT) return withChild(value, step, child);
    if (Array.isArray(value)) return this.#withoutElement(value, place, step as number);
    const { [step as string]: _, ...others } = value as Record<string, unknown>;
    return others;
  }

  #with(value: unknown, steps: Steps, depth: number, only: unknown): unknown {
    if (depth === steps.length) return only;
    if (!isNested(value)) return value;
    const step = this.#stepIn(value, steps.slice(0, depth), steps[depth]);
    return withChild(value, step, this.#with(Reflect.get(value, step), steps, depth + 1, only));
  }

  /** The step in the part for a step in the document. */
  #stepIn(value: unknown, place: Steps, step: PropertyKey): PropertyKey {
    const list = Array.isArray(value) ? this.#kept.get(keyOf(place)) : undefined;
    return list ? list.indices.indexOf(step as number) : step;
  }

  #withoutElement(list: readonly unknown[], place: Steps, index: number): unknown[] {
    const indices = this.#kept.get(keyOf(place))?.indices ?? list.map((_, i) => i);
    this.#kept.set(keyOf(place), { steps: place, indices: indices.filter((_, i) => i !== index) });
    return list.filter((_, i) => i !== index);
  }
}

function withChild(value: object, step: PropertyKey, child: unknown): unknown {
  if (Array.isArray(value)) return value.map((element, i) => (i === step ? child : element));
  return { ...value, [step]: child };
}

const keyOf = (steps: Steps): string => JSON.stringify(steps);

const isPrefix = (prefix: Steps, steps: Steps): boolean =>
  prefix.length <= steps.length && prefix.every((step, i) => step === steps[i]);
