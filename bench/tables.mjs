/** Tables for a terminal and for a page, from the same columns: `{ title, of, left }`, `of` giving a cell's text. */

/** Three digits that mean something: 0.31, 48.5, 1,230. */
export function showNumber(value) {
  if (value === null || value === undefined) return '-';
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

export const showPercent = (share) => `${Number((100 * share).toFixed(1))} %`;

/** An empty line stands between rows of different groups. */
export function textTable(columns, rows, groupOf = () => '') {
  const [header, ...body] = layOut(columns, rows).lines.map((cells) => cells.join('  ').trimEnd());
  const opensGroup = (i) => i > 0 && groupOf(rows[i]) !== groupOf(rows[i - 1]);
  return [header, ...body.map((line, i) => (opensGroup(i) ? `\n${line}` : line))].join('\n');
}

/** As the formatter of this project would have it. */
export function markdownTable(columns, rows) {
  const { lines, widths } = layOut(columns, rows);
  const rule = columns.map(({ left }, c) => (left ? '-'.repeat(widths[c]) : `${'-'.repeat(widths[c] - 1)}:`));
  const [header, ...body] = lines;
  return [header, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const NARROWEST = 3;

/** Cells padded to the width of their columns. */
function layOut(columns, rows) {
  const texts = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ of }) => of(row)))];
  const widths = columns.map((_, c) => Math.max(NARROWEST, ...texts.map((cells) => cells[c].length)));
  const pad = (cell, c) => (columns[c].left ? cell.padEnd(widths[c]) : cell.padStart(widths[c]));
  return { lines: texts.map((cells) => cells.map(pad)), widths };
}
