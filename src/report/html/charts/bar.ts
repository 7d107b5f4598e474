/** A share as a horizontal bar. The number stands beside the bar in the text. */
import { type Html, html } from '../escape.js';

const [WIDTH, HEIGHT] = [84, 10];

export function bar(share: number): Html {
  const length = Math.max(2, Math.round(WIDTH * share));
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"><rect class="track" width="${WIDTH}" height="${HEIGHT}" rx="3"/><rect class="fill" width="${length}" height="${HEIGHT}" rx="3"/></svg>`;
}
