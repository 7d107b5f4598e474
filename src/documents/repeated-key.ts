/**
 * Keys that an object of a JSON text names twice. JSON.parse keeps the last value in silence. The text is known to be JSON: its bad places
 * are no subject here.
 */
import { ElsewiseError, type ErrorCode } from './error.js';
import { joinPath } from './parse.js';

export const NAMED_TWICE = 'is named twice';

/** Up to this number of keys, a list is searched faster than a set. */
const FEW_KEYS = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** An object or a list that is not closed yet. */
interface Level {
  /** Null: a list. */
  readonly keys: Keys | null;
  /** The key or the index of the present value. */
  step: string | number;
}

/** The keys of one object. */
class Keys {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  /** Whether the key is new. */
  add(key: string): boolean {
    if (this.#many) return this.#many.size < this.#many.add(key).size;
    if (this.#few.includes(key)) return false;
    if (this.#few.push(key) > FEW_KEYS) this.#many = new Set(this.#few);
    return true;
  }
}

/** The steps to the first repeated key. Undefined: no key is named twice. */
export function findRepeatedKey(text: string): PropertyKey[] | undefined {
  const levels: Level[] = [];
  let top: Level | undefined;
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at + 1);
        if (isKeyNext) {
          top!.step = stringOf(text, at, end);
          isKeyNext = false;
          if (!top!.keys!.add(top!.step)) return levels.map(({ step }) => step);
        }
        at = end;
        break;
      }
      case COMMA:
        if (top?.keys) isKeyNext = true;
        else if (top) (top.step as number)++;
        break;
      case 0x7b: // {
        top = { keys: new Keys(), step: '' };
        levels.push(top);
        isKeyNext = true;
        break;
      case 0x5b: // [
        top = { keys: null, step: 0 };
        levels.push(top);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        levels.pop();
        top = levels.at(-1);
        isKeyNext = false;
        break;
    }
  }
  return undefined;
}

/** The position of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) return text.length;
    let before = end - 1;
    while (before >= start && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - 1 - before) % 2 === 0) return end;
  }
}

/** Two spellings of a key, such as `a` and `\u0061`, are one key. */
function stringOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(text.slice(start, end + 1)) as string) : raw;
}

/** Throws where an object names a key twice. `root`: the name of the document. */
export function refuseRepeatedKeys(text: string, code: ErrorCode, root: string): void {
  const steps = findRepeatedKey(text);
  if (steps) throw new ElsewiseError(code, NAMED_TWICE, joinPath(root, steps));
}

/** The same for a file whose document has no name of its own. */
export function refuseRepeatedKeysOf(file: string, text: string, code: ErrorCode): void {
  const steps = findRepeatedKey(text);
  if (steps) throw new ElsewiseError(code, `${joinPath('', steps)} ${NAMED_TWICE}`, file);
}
