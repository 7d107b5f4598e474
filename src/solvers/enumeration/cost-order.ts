/**
 * All combinations of one option per feature, in the order of the sum of their prices.
 *
 *   price(i) = Σ_f p_f(i_f),      p_f(0) <= p_f(1) <= ...,      features sorted by p_f(1) - p_f(0)
 *
 * A combination is a chain of (feature, option) with option > 0, features rising. Its successors raise the last option, append the next
 * feature's option 1, or move the last option 1 on to the next feature. Each combination has one predecessor, which costs no more. A heap
 * therefore gives the combinations in order and holds only the successors of those already taken.
 */
import { NodeHeap } from '../shared/node-heap.js';

export interface Option {
  readonly value: number;
  readonly price: number;
}

/** One step of a chain. */
interface Link {
  readonly feature: number;
  readonly option: number;
  readonly before: Link | null;
  readonly price: number;
}

export class CostOrder {
  private readonly open = new NodeHeap<Link | null>();
  /** Positions of the menus with several options, in the order of the chain. */
  private readonly order: readonly number[];
  private readonly base: number;

  /** `menus`: options by feature, cheapest first, at least one each. */
  constructor(private readonly menus: readonly (readonly Option[])[]) {
    const rise = (f: number) => menus[f][1].price - menus[f][0].price;
    this.order = [...menus.keys()].filter((f) => menus[f].length > 1).sort((a, b) => rise(a) - rise(b) || a - b);
    this.base = menus.reduce((sum, menu) => sum + menu[0].price, 0);
    this.open.push(null, this.base);
  }

  /** The least price of the remaining combinations; Infinity: none remains. */
  get least(): number {
    return this.open.least();
  }

  /** Writes the next combination's options by feature. False: no combination is left. */
  next(options: Int32Array): boolean {
    if (!this.open.size) return false;
    const link = this.open.pop() ?? null;
    this.pushSuccessors(link);
    options.fill(0);
    for (let at = link; at; at = at.before) options[this.order[at.feature]] = at.option;
    return true;
  }

  private pushSuccessors(link: Link | null): void {
    if (!link) {
      this.push(0, 1, null);
      return;
    }
    const { feature, option, before } = link;
    this.push(feature, option + 1, before);
    this.push(feature + 1, 1, link);
    if (option === 1) this.push(feature + 1, 1, before);
  }

  private push(feature: number, option: number, before: Link | null): void {
    if (feature >= this.order.length) return;
    const menu = this.menus[this.order[feature]];
    if (option >= menu.length) return;
    const price = (before?.price ?? this.base) + menu[option].price - menu[0].price;
    this.open.push({ feature, option, before, price }, price);
  }
}
