/** Picks results for the explanations in words from a stream of result lines. Each result shows something different. */
import type { ResultDocument } from '../documents/result-document.js';

type Wanted = (result: ResultDocument) => boolean;

const changes = (result: ResultDocument): ResultDocument['counterfactuals'][number]['changes'] =>
  result.counterfactuals.at(0)?.changes ?? [];

/** In the order of the report. */
const WANTED: readonly Wanted[] = [
  (result) => changes(result).length === 1,
  (result) => changes(result).length > 1 && changes(result).some(({ to }) => typeof to !== 'number'),
  (result) => result.status === 'infeasible',
];

export class ExamplePicker {
  readonly #examples = new Map<Wanted, ResultDocument>();
  readonly #spare: ResultDocument[] = [];

  /** Whole lines. */
  look(bytes: Uint8Array): void {
    if (this.#examples.size === WANTED.length) return;
    for (const line of Buffer.from(bytes).toString('utf8').split('\n'))
      if (line !== '') this.#consider(JSON.parse(line));
  }

  #consider(result: ResultDocument): void {
    const free = WANTED.find((wanted) => !this.#examples.has(wanted) && wanted(result));
    if (free) this.#examples.set(free, result);
    else if (result.status === 'found' && this.#spare.length < WANTED.length) this.#spare.push(result);
  }

  /** One result for each criterion. Other answers replace criteria without a result. */
  get picked(): readonly ResultDocument[] {
    const fulfilled = WANTED.flatMap((wanted) => this.#examples.get(wanted) ?? []);
    return [...fulfilled, ...this.#spare].slice(0, WANTED.length);
  }
}
