/**
 * Result lines as columns. A result says the same thing many times: keys, names, digests, and each number of a row up to
 * three times (in `factual`, in `counterfactuals`, in `changes`). A general compressor leaves 435 bytes of a line of
 * 2,500; after this it leaves half of that, in less time.
 *
 *   line      = its template with values in the places      values are what JSON allows behind a colon or in a list
 *   group     = the lines with the same template; each place in it is a column
 *   column    = `=TEXT`   one value for all lines
 *             | `@N`      the same as column N, line by line
 *             | `*`       then one text for each line: a value, or `^N`: what column N has in this line
 *   all       = number of lines and of groups; the group of each line, nothing if there is one; then each group's
 *               template and columns; everything ended by a line feed
 *
 * It is only a rearrangement: `joinColumns(splitColumns(bytes))` is `bytes`, for any lines of JSON; what is none is refused
 * with undefined. It works on bytes: as strings, the values of a chunk would be a hundred thousand small objects.
 */

/** Stands for a value in a template; no JSON line has this byte. */
const PLACE = 0x01;
const PLACE_TEXT = '\u0001';
const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const CLOSING_BRACKET = 0x5d;
const CLOSING_BRACE = 0x7d;
const PUNCTUATION = new Set([0x7b, 0x5b, COLON, COMMA, CLOSING_BRACE, CLOSING_BRACKET]);
/** Shorter values take less room than what would refer to them. */
const MIN_REFERRED = 5;
const LOOKED_AT = 32;
const NONE = -1;

export function splitColumns(bytes: Buffer): Buffer | undefined {
  const groups = new Map<string, Group>();
  const scan = new LineScan(bytes);
  const order: number[] = [];
  let last: Group | undefined;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start);
    if (end <= start) return undefined; // an empty line, or a last one without its line feed
    last = (last && scan.take(start, end, last, groups)) ?? findGroup(groups, scan, bytes, start, end);
    if (!last) return undefined;
    order.push(last.number);
    start = end + 1;
  }
  if (!last) return undefined;
  const out = new Output(bytes.length >> 1);
  out.text(`${order.length} ${groups.size}\n${groups.size === 1 ? '' : order.join(' ')}\n`);
  for (const group of groups.values()) writeGroup(group, bytes, out);
  return out.bytes;
}

/** Lines of one template. */
class Group {
  readonly columns: number;
  rows = 0;
  /** Where the values begin and end, line by line. */
  starts = new Int32Array(1 << 12);
  ends = new Int32Array(1 << 12);

  constructor(
    readonly number: number,
    readonly template: Buffer,
  ) {
    this.columns = template.reduce((count, byte) => count + (byte === PLACE ? 1 : 0), 0);
  }

  add(starts: Int32Array, ends: Int32Array): void {
    const from = this.rows++ * this.columns;
    this.#reserve(from + this.columns);
    for (let c = 0; c < this.columns; c++) {
      this.starts[from + c] = starts[c];
      this.ends[from + c] = ends[c];
    }
  }

  #reserve(values: number): void {
    if (values <= this.starts.length) return;
    for (const name of ['starts', 'ends'] as const) {
      const larger = new Int32Array(Math.max(values, 2 * this[name].length));
      larger.set(this[name]);
      this[name] = larger;
    }
  }
}

/**
 * Reads lines by the templates that are known. Most lines are like the one before them; where one parts from it, it is read
 * on by another template that is the same up to there, so that no line is read twice.
 */
class LineScan {
  #starts = new Int32Array(1 << 10);
  #ends = new Int32Array(1 << 10);

  constructor(private readonly bytes: Buffer) {}

  /** The group that the line was added to; undefined: no template fits. */
  take(start: number, end: number, first: Group, groups: ReadonlyMap<string, Group>): Group | undefined {
    const { bytes } = this;
    let group = first;
    let at = start;
    let value = 0;
    for (let i = 0; ; ) {
      const { template } = group;
      this.#reserve(group.columns);
      const [starts, ends] = [this.#starts, this.#ends];
      for (; i < template.length; i++) {
        if (template[i] !== PLACE) {
          if (bytes[at] !== template[i]) break; // also where the line has ended: no template holds a line feed
          at++;
          continue;
        }
        starts[value] = at;
        at = endOfValue(bytes, at, end);
        if (at === NONE) return undefined;
        ends[value++] = at;
      }
      if (i === template.length && at === end) {
        group.add(starts, ends);
        return group;
      }
      const next = at < end ? continued(groups, template, i, bytes[at]) : undefined;
      if (!next) return undefined;
      group = next;
    }
  }

  #reserve(values: number): void {
    if (values <= this.#starts.length) return;
    const [starts, ends] = [new Int32Array(2 * values), new Int32Array(2 * values)];
    starts.set(this.#starts);
    ends.set(this.#ends);
    this.#starts = starts;
    this.#ends = ends;
  }
}

/** A group whose template begins like the given one and goes on with a byte. */
function continued(
  groups: ReadonlyMap<string, Group>,
  template: Buffer,
  length: number,
  byte: number,
): Group | undefined {
  for (const group of groups.values()) {
    const other = group.template;
    if (other[length] === byte && other !== template && template.compare(other, 0, length, 0, length) === 0)
      return group;
  }
  return undefined;
}

/** Undefined: the line cannot be one of JSON. */
function findGroup(
  groups: Map<string, Group>,
  scan: LineScan,
  bytes: Buffer,
  start: number,
  end: number,
): Group | undefined {
  const template = templateOf(bytes.subarray(start, end));
  if (!template) return undefined;
  const key = template.toString('latin1');
  const group = groups.get(key) ?? new Group(groups.size, template);
  groups.set(key, group);
  return scan.take(start, end, group, NO_OTHERS);
}

const NO_OTHERS: ReadonlyMap<string, Group> = new Map();

/** Keys and punctuation, with a mark in place of each value. */
function templateOf(line: Buffer): Buffer | undefined {
  const template = Buffer.alloc(line.length + 1);
  let length = 0;
  for (let at = 0; at < line.length; ) {
    if (PUNCTUATION.has(line[at])) {
      template[length++] = line[at++];
      continue;
    }
    const end = endOfValue(line, at, line.length);
    if (end === NONE || end === at) return undefined;
    if (line[at] === QUOTE && line[end] === COLON) length += line.copy(template, length, at, end);
    else template[length++] = PLACE;
    at = end;
  }
  return template.subarray(0, length);
}

/** A text up to its closing quote, anything else up to what ends it; NONE when there is a byte that JSON does not allow. */
function endOfValue(bytes: Buffer, start: number, limit: number): number {
  let at = start;
  if (bytes[at] === QUOTE) {
    for (at++; at < limit && bytes[at] !== QUOTE; at++) {
      if (bytes[at] < SPACE) return NONE;
      if (bytes[at] === BACKSLASH) at++;
    }
    return at < limit ? at + 1 : NONE;
  }
  for (; at < limit; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSING_BRACE || byte === CLOSING_BRACKET) break;
    if (byte < SPACE || byte === QUOTE) return NONE;
  }
  return at;
}

function writeGroup(group: Group, bytes: Buffer, out: Output): void {
  out.copy(group.template, 0, group.template.length);
  out.byte(LF);
  for (let column = 0; column < group.columns; column++) {
    if (isConstant(group, bytes, column)) {
      out.text('=');
      out.copy(bytes, group.starts[column], group.ends[column]);
    } else {
      const twin = findTwin(group, bytes, column);
      out.text(twin === NONE ? '*' : `@${twin}`);
      if (twin === NONE) writeList(group, bytes, column, out);
    }
    out.byte(LF);
  }
}

function writeList(group: Values, bytes: Buffer, column: number, out: Output): void {
  const { starts, ends, columns, rows } = group;
  const likely = likelySources(group, bytes, column);
  const names = likely.map((source) => Buffer.from(`^${source}`));
  for (let row = 0; row < rows; row++) {
    const value = row * columns + column;
    let k = ends[value] - starts[value] < MIN_REFERRED ? likely.length : 0;
    while (k < likely.length && !isEqual(group, bytes, value, row * columns + likely[k])) k++;
    out.byte(LF);
    if (k < likely.length) out.copy(names[k], 0, names[k].length);
    else out.copy(bytes, starts[value], ends[value]);
  }
}

type Values = Pick<Group, 'starts' | 'ends' | 'columns' | 'rows'>;

/** Earlier columns that hold the same value in some of the first lines: looking everywhere in all lines costs too much. */
function likelySources(group: Values, bytes: Buffer, column: number): number[] {
  const { starts, ends, columns } = group;
  const found = new Set<number>();
  for (let row = 0; row < Math.min(group.rows, LOOKED_AT); row++) {
    const value = row * columns + column;
    if (ends[value] - starts[value] < MIN_REFERRED) continue;
    for (let c = 0; c < column; c++) {
      if (!isEqual(group, bytes, value, row * columns + c)) continue;
      found.add(c);
      break;
    }
  }
  return [...found];
}

function isConstant(group: Values, bytes: Buffer, column: number): boolean {
  for (let row = 1; row < group.rows; row++) {
    if (!isEqual(group, bytes, column, row * group.columns + column)) return false;
  }
  return true;
}

/** An earlier column with the same values throughout. */
function findTwin(group: Values, bytes: Buffer, column: number): number {
  for (let c = 0; c < column; c++) {
    let row = 0;
    while (row < group.rows && isEqual(group, bytes, row * group.columns + c, row * group.columns + column)) row++;
    if (row === group.rows) return c;
  }
  return NONE;
}

function isEqual({ starts, ends }: Values, bytes: Buffer, one: number, other: number): boolean {
  let a = starts[one];
  let b = starts[other];
  const end = ends[one];
  if (end - a !== ends[other] - b) return false;
  while (a < end) if (bytes[a++] !== bytes[b++]) return false;
  return true;
}

class Output {
  #bytes: Buffer;
  #length = 0;

  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected + (1 << 10));
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  text(ascii: string): void {
    this.#reserve(ascii.length);
    this.#length += this.#bytes.write(ascii, this.#length, 'latin1');
  }

  /** Values are short: a loop is done before a call of `copy` has begun. */
  copy(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    const target = this.#bytes;
    let at = this.#length;
    for (let i = start; i < end; i++) target[at++] = from[i];
    this.#length = at;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** The lines, each with its line feed. */
export function joinColumns(bytes: Buffer): Buffer {
  const parts = bytes.toString('latin1').split('\n');
  const [lines, groupCount] = parts[0].split(' ').map(Number);
  const order = parts[1] === '' ? undefined : parts[1].split(' ').map(Number);
  const rows = order ?? new Array<number>(lines).fill(0);
  const sizes = new Array<number>(groupCount).fill(0);
  for (const group of rows) sizes[group]++;
  let at = 2;
  const groups = sizes.map((size) => {
    const group = readGroup(parts, at, size);
    at = group.end;
    return group.lines;
  });
  const next = sizes.map(() => 0);
  let joined = '';
  for (const group of rows) joined += groups[group][next[group]++];
  return Buffer.from(joined, 'latin1');
}

function readGroup(parts: readonly string[], start: number, size: number): { lines: string[]; end: number } {
  const segments = parts[start].split(PLACE_TEXT);
  const columns: ((row: number) => string)[] = [];
  let at = start + 1;
  while (columns.length < segments.length - 1) {
    const rule = parts[at++];
    if (rule[0] === '=') columns.push(constantly(rule.slice(1)));
    else if (rule[0] === '@') columns.push(columns[Number(rule.slice(1))]);
    else {
      columns.push(listed(columns, parts, at));
      at += size;
    }
  }
  const lines = Array.from({ length: size }, (_, row) => {
    let line = segments[0];
    for (let c = 0; c < columns.length; c++) line += columns[c](row) + segments[c + 1];
    return `${line}\n`;
  });
  return { lines, end: at };
}

const constantly = (text: string) => () => text;

function listed(columns: readonly ((row: number) => string)[], parts: readonly string[], from: number) {
  return (row: number): string => {
    const text = parts[from + row];
    return text[0] === '^' ? columns[Number(text.slice(1))](row) : text;
  };
}
