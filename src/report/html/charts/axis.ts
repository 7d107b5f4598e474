/** The ticks of an axis: whole multiples of 1, 2 or 5 times a power of ten. */
import { roundWidth } from '../../summary/figures.js';

export interface Tick {
  readonly value: number;
  readonly text: string;
}

export function ticksOf(from: number, to: number, most: number): Tick[] {
  const step = roundWidth((to - from) / most);
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step))));
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: Math.min(count, 2 * most) }, (_, i) => {
    const value = (first + i) * step;
    return { value, text: value.toLocaleString('en-US', { maximumFractionDigits: decimals }) };
  });
}

/** A coordinate with one decimal. */
export const at = (coordinate: number): string => String(Math.round(10 * coordinate) / 10);
