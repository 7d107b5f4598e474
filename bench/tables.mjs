/** Tables for a terminal and for a page, from the same columns: `{ title, of, left }`, `of` giving a cell's text. */

/** Three digits that mean something: 0.31, 48.5, 1,230. */
export function showNumber(value) {
  if (value === null || value === undefined) return '-';
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

export const showPercent = (share) => `${Number((100 * share).toFixed(1))} %`;

/** An empty line stands between rows of different groups. */
export function textTable(columns, rows, groupOf = () => '') {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ of }) => of(row)))];
  const widths = columns.map((_, c) => Math.max(...lines.map((cells) => cells[c].length)));
  const pad = (cell, c) => (columns[c].left ? cell.padEnd(widths[c]) : cell.padStart(widths[c]));
  const [header, ...body] = lines.map((cells) => cells.map(pad).join('  ').trimEnd());
  const opensGroup = (i) => i > 0 && groupOf(rows[i]) !== groupOf(rows[i - 1]);
  return [header, ...body.map((line, i) => (opensGroup(i) ? `\n${line}` : line))].join('\n');
}

export function markdownTable(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ left }) => (left ? '---' : '---:'))),
    ...rows.map((row) => line(columns.map(({ of }) => of(row)))),
  ].join('\n');
}
