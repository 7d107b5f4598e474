/**
 * Bounds of what is left: for each level of the lists, the linear relaxation of the classes that follow, as a function of the gain that is still
 * needed.
 *
 *   rest_l(r) = min { Σ_j c_j : Σ_j g_j >= r },  each class j of the level l and beyond on its lower convex hull
 *
 * The function is convex and piecewise linear: the edges of all hulls, by slope. The price of the whole bound is right for one r only. Other
 * states of a list have other needs, and their bound is higher.
 */
import type { Core } from './core.js';
import { grown } from './menu.js';

export class RestBounds {
  /** By level: its first entry. */
  private first = new Int32Array(64);
  /** By entry: gain and cost at the end of an edge. The first entry of a level has the cheapest options. */
  private gain = new Float64Array(256);
  private cost = new Float64Array(256);
  private size = 0;
  // The edges of the levels so far, by slope.
  private edges = 0;
  private run = new Float64Array(64);
  private rise = new Float64Array(64);
  // The hull of a class.
  private cornerGain = new Float64Array(64);
  private cornerCost = new Float64Array(64);
  private corners = 0;
  private classes = 0;

  /** Fills all levels. `order`: the classes by level. */
  fill(core: Core, order: Int32Array): void {
    const { classes } = core;
    if (this.first.length < classes + 2) this.first = new Int32Array(2 * classes + 2);
    this.size = this.edges = 0;
    let baseGain = 0;
    let baseCost = 0;
    // The last level comes first.
    for (let at = 0; at <= classes; at++) {
      if (at > 0) {
        this.findHull(core, order[classes - at]);
        baseGain += this.cornerGain[0];
        baseCost += this.cornerCost[0];
        this.addEdges();
      }
      this.first[at] = this.size;
      this.writeLevel(baseGain, baseCost);
    }
    this.first[classes + 1] = this.size;
    this.classes = classes;
  }

  /** A lower bound on the cost of a gain; Infinity: the classes from the level on do not gain as much. */
  at(level: number, need: number): number {
    const { gain, cost, first, classes } = this;
    let low = first[classes - level];
    let high = first[classes - level + 1] - 1;
    if (need <= gain[low]) return cost[low];
    if (need > gain[high]) return Infinity;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (gain[middle] < need) low = middle;
      else high = middle;
    }
    return cost[low] + ((cost[high] - cost[low]) * (need - gain[low])) / (gain[high] - gain[low]);
  }

  private writeLevel(baseGain: number, baseCost: number): void {
    let gain = baseGain;
    let cost = baseCost;
    this.write(gain, cost);
    for (let e = 0; e < this.edges; e++) {
      gain += this.run[e];
      cost += this.rise[e];
      this.write(gain, cost);
    }
  }

  private write(gain: number, cost: number): void {
    if (this.size === this.gain.length) {
      this.gain = grown(this.gain);
      this.cost = grown(this.cost);
    }
    this.gain[this.size] = gain;
    this.cost[this.size++] = cost;
  }

  /** The corners of a class on its lower hull, from the cheapest one on. */
  private findHull(core: Core, j: number): void {
    this.corners = 0;
    for (let o = core.first[j]; o < core.first[j + 1]; o++) {
      const isLine = core.free[o] === 1 && core.ends(o);
      const cost = core.free[o] ? core.leastCost[o] : core.cost[o];
      this.addCorner(isLine ? core.fromGain : core.gain[o], cost);
      if (isLine) this.addCorner(core.gain[o], core.toCost);
    }
    this.reduceCorners();
  }

  /** Keeps the corners sorted by gain. */
  private addCorner(gain: number, cost: number): void {
    if (this.corners === this.cornerGain.length) {
      this.cornerGain = grown(this.cornerGain);
      this.cornerCost = grown(this.cornerCost);
    }
    const { cornerGain, cornerCost } = this;
    let at = this.corners++;
    for (; at > 0 && cornerGain[at - 1] > gain; at--) {
      cornerGain[at] = cornerGain[at - 1];
      cornerCost[at] = cornerCost[at - 1];
    }
    cornerGain[at] = gain;
    cornerCost[at] = cost;
  }

  private reduceCorners(): void {
    const { cornerGain: g, cornerCost: c } = this;
    let size = 0;
    for (let k = 0; k < this.corners; k++) {
      while (size > 0 && c[size - 1] >= c[k]) size--;
      while (
        size > 1 &&
        (c[size - 1] - c[size - 2]) * (g[k] - g[size - 2]) >= (c[k] - c[size - 2]) * (g[size - 1] - g[size - 2])
      )
        size--;
      g[size] = g[k];
      c[size++] = c[k];
    }
    this.corners = size;
  }

  private addEdges(): void {
    const { cornerGain, cornerCost } = this;
    for (let k = 1; k < this.corners; k++)
      this.insert(cornerGain[k] - cornerGain[k - 1], cornerCost[k] - cornerCost[k - 1]);
  }

  private insert(run: number, rise: number): void {
    if (this.edges === this.run.length) {
      this.run = grown(this.run);
      this.rise = grown(this.rise);
    }
    let at = this.edges++;
    for (; at > 0 && this.rise[at - 1] * run > rise * this.run[at - 1]; at--) {
      this.run[at] = this.run[at - 1];
      this.rise[at] = this.rise[at - 1];
    }
    this.run[at] = run;
    this.rise[at] = rise;
  }
}
