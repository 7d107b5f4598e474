/** Text in columns: the first column is aligned left, the others as given. */

export type Align = 'left' | 'right';

const GAP = '  ';

export function formatTable(rows: readonly (readonly string[])[], align: readonly Align[] = []): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, c) => Math.max(...rows.map((row) => row[c]?.length ?? 0)));
  const pad = (cell: string, c: number) => (align[c] === 'right' ? cell.padStart(widths[c]) : cell.padEnd(widths[c]));
  return rows.map((row) => `${GAP}${row.map(pad).join(GAP)}`.trimEnd()).join('\n');
}
