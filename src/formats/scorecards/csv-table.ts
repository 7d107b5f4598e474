/**
 * A small table of CSV with its place in the file: a comma, a semicolon or a tab between cells, quotes around cells that contain them, and
 * lines that begin with # before the header.
 *
 *   # base score: 500
 *   feature,from,to,categories,points
 */
import { ElsewiseError } from '../../documents/error.js';

export interface TableRow {
  /** The number of the line in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvTable {
  /** By key in lower case: the lines `# key: value`. */
  readonly notes: ReadonlyMap<string, { readonly line: number; readonly value: string }>;
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
  /** A comma may be a decimal point. */
  readonly hasDecimalCommas: boolean;
}

const NOTE = /^#\s*([^:]*?)\s*:\s*(.*?)\s*$/;

export function readTable(text: string, root: string): CsvTable {
  const notes = new Map<string, { line: number; value: string }>();
  let line = 1;
  let rest = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  while (/^[^\S\n]*(#.*)?\n/.test(rest)) {
    const end = rest.indexOf('\n');
    const [, key, value] = NOTE.exec(rest.slice(0, end)) ?? [];
    if (key !== undefined) notes.set(key.toLowerCase(), { line, value });
    rest = rest.slice(end + 1);
    line++;
  }
  const delimiter = delimiterOf(rest.slice(0, Math.max(0, rest.search(/\n|$/))));
  const [header, ...rows] = [...records(rest, delimiter, line, root)];
  if (!header) throw new ElsewiseError('bad-document', 'has no rows', root);
  return { notes, header: header.cells.map((cell) => cell.trim()), rows, hasDecimalCommas: delimiter !== ',' };
}

const delimiterOf = (header: string): string => [';', '\t', ','].find((candidate) => header.includes(candidate)) ?? ',';

function* records(text: string, delimiter: string, firstLine: number, root: string): Generator<TableRow> {
  let [at, line] = [0, firstLine];
  while (at < text.length) {
    const cells: string[] = [];
    const start = line;
    for (;;) {
      const [cell, next] = cellAt(text, at, delimiter, start, root);
      cells.push(cell);
      line += text.slice(at, next).split('\n').length - 1;
      at = next + 1;
      if (text[next] !== delimiter) break;
    }
    line++;
    if (cells.some((cell) => cell.trim() !== '')) yield { line: start, cells };
  }
}

/** The cell that begins at a place, and the place behind the cell. */
function cellAt(text: string, at: number, delimiter: string, line: number, root: string): [string, number] {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++;
    return [text.slice(at, end), end];
  }
  let end = at + 1;
  while (text[end] !== '"' || text[end + 1] === '"') {
    if (end >= text.length) throw new ElsewiseError('bad-document', 'a quote is not closed', `${root}, line ${line}`);
    end += text[end] === '"' ? 2 : 1;
  }
  return [text.slice(at + 1, end).replaceAll('""', '"'), end + 1];
}
