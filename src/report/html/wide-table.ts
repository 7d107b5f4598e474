/** A table that scrolls sideways where the screen is narrow. The keyboard reaches the table, so that a person without a mouse can scroll. */
import { type Html, html } from './escape.js';

export function wideTable(headingId: string, table: Html): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-labelledby="${headingId}">${table}</div>`;
}
