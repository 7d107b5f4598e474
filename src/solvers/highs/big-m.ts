/**
 * The largest amounts of moves (rooms) in a program that switches moves on and off: a switch v <= U y needs a finite U. U should
 * be as small as possible, since HiGHS lets y be off by 1e-9.
 *
 * Rooms are first cut to a multiple of the gap between the person and the rows. An answer beyond the cut costs at least outside = min over
 * cut moves j of price_j(U_j),  the least cost of any answer that moves j beyond U_j. The best answer within the cut rooms, of cost c, is
 * therefore the best of all when c <= outside. Otherwise rooms grow until their price is c, and the program is solved again. Where distance
 * costs nothing (L0) only infinite rooms are cut. Outside is then the least weight of such a feature; other changes only add to it.
 */

import type { MoveModel } from '../linear/moves.js';
import { gapOf } from './move-program.js';

/** First rooms in units of the gap, and the rooms of moves whose price does not grow with the amount. */
const NEAR = 1000;
const FAR = 1e5;
const GROWTH = 4;
const LEAP = 100;

export class BigM {
  readonly rooms: Float64Array;

  /** `price(j, amount)`: the least cost of any answer whose move j is the amount or more. */
  constructor(
    private readonly model: MoveModel,
    private readonly price: (move: number, amount: number) => number,
  ) {
    this.rooms = new Float64Array(model.n);
  }

  /** Cuts the rooms of the present person. */
  cut(): void {
    const { model, rooms } = this;
    const gap = gapOf(model);
    rooms.set(model.room);
    for (let j = 0; j < rooms.length; j++) {
      if (model.moves[j].kind === 'choose') continue;
      const near = this.lattice(j, NEAR * gap * model.unit[j]);
      if (this.costsMoreBeyond(j, near)) rooms[j] = Math.min(rooms[j], near);
      else if (rooms[j] === Infinity) rooms[j] = this.lattice(j, FAR * gap * model.unit[j]);
    }
  }

  /** The amount rounded up to the move's lattice, and at least the amount that the move has to make anyway. */
  private lattice(j: number, amount: number): number {
    const step = this.model.step[j];
    const enough = Math.max(amount, 2 * this.model.least[j]);
    return step > 0 ? step * Math.ceil(enough / step) : enough;
  }

  private isCut(j: number): boolean {
    return this.rooms[j] < this.model.room[j];
  }

  /** The least cost of an answer beyond the rooms; Infinity: none exists. */
  outside(): number {
    let least = Infinity;
    for (let j = 0; j < this.rooms.length; j++)
      if (this.isCut(j)) least = Math.min(least, this.price(j, this.rooms[j]));
    return least;
  }

  /** Enlarges the rooms so that they contain every answer that costs less. False: a price does not grow with the amount. */
  growTo(cost: number): boolean {
    for (let j = 0; j < this.rooms.length; j++) {
      while (this.isCut(j) && this.price(j, this.rooms[j]) < cost) {
        if (!this.costsMoreBeyond(j, this.rooms[j])) return false;
        this.grow(j, GROWTH);
      }
    }
    return true;
  }

  private costsMoreBeyond(j: number, amount: number): boolean {
    return this.price(j, 2 * amount) > this.price(j, amount);
  }

  /** Makes every cut room much larger. */
  growAll(): void {
    for (let j = 0; j < this.rooms.length; j++) if (this.isCut(j)) this.grow(j, LEAP);
  }

  private grow(j: number, factor: number): void {
    this.rooms[j] = Math.min(this.model.room[j], this.lattice(j, factor * this.rooms[j]));
  }
}
