/** A table whose numbers line up. On a narrow screen the table scrolls by itself. */
import type { ComponentChildren } from 'preact';

export interface Column<R> {
  readonly title: string;
  cell(row: R): ComponentChildren;
  readonly isNumber?: boolean;
}

interface TableProps<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  /** The words for a table without rows. */
  readonly nothing: string;
}

export function DataTable<R>({ caption, columns, rows, nothing }: TableProps<R>) {
  if (rows.length === 0)
    return (
      <section>
        <h2>{caption}</h2>
        <p class="quiet">{nothing}</p>
      </section>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scrolls" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <tr key={r}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} class={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
