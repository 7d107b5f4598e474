/**
 * A report as one HTML file. The file loads nothing: the policy in its head permits the style and the script of this package, by their
 * digests, and no connection. The same input gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { Html, type HtmlContent, html } from './escape.js';
import type { Report } from './report.js';
import { SCRIPT } from './script.js';
import { changesSection } from './sections/changes.js';
import { groupSections } from './sections/groups.js';
import { figures, heading } from './sections/headline.js';
import { costSection, mapSection } from './sections/map-and-cost.js';
import { peopleSection } from './sections/people.js';
import { proofSection } from './sections/proofs.js';
import { provenanceSection } from './sections/provenance.js';
import { blockingSection, otherReasons, relaxationSection } from './sections/reasons.js';
import { STYLE } from './style.js';

export function reportPage(report: Report): string {
  const sections: HtmlContent = [
    figures(report),
    columns(changesSection(report), [mapSection(report), costSection(report)]),
    columns(blockingSection(report), [relaxationSection(report), proofSection(report)]),
    otherReasons(report),
    groupSections(report),
    peopleSection(report),
    provenanceSection(report),
  ];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>Recourse report: ${report.source}</title><style>${new Html(STYLE)}</style></head>
<body><main>${heading(report)}${sections}</main>${SCRIPT_TAG}</body></html>
`.text;
}

/** Two columns of sections. A column without sections leaves the width to the other. */
function columns(...both: readonly HtmlContent[]): Html {
  const filled = both.map((column) => html`${column}`).filter(({ text }) => text !== '');
  return filled.length > 1
    ? html`<div class="pair">${filled.map((column) => html`<div>${column}</div>`)}</div>`
    : html`${filled}`;
}

/** Not a part of the template: the bundler changes templates with a closing tag of a script. */
const SCRIPT_TAG = new Html(`<script>${SCRIPT}${'<'}/script>`);

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const POLICY = `default-src 'none'; style-src ${digest(STYLE)}; script-src ${digest(SCRIPT)}; base-uri 'none'; form-action 'none'`;
