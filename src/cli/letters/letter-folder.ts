/**
 * The folder of letters. Ids come from files and may be anything: a file name has only small letters, digits, dashes and underscores. Two ids may
 * give the same name, also where a file system ignores case. A file is never overwritten: the second name gets the number of its line.
 */
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';
import type { LetterForm } from '../../report/letters/letter-template.js';

const MOST_LETTERS = 80;
/** Names of devices in Windows. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/;
const ENDINGS: Readonly<Record<LetterForm, string>> = { html: 'html', text: 'txt' };

/** The list of all results with the files of their letters. */
export const INDEX_FILE = 'letters.ndjson';

/** `Müller/../A 17` -> `muller-a-17` */
export function fileNameOf(id: string): string {
  const plain = id
    .slice(0, 4 * MOST_LETTERS)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, MOST_LETTERS)
    .replace(/^-+|-+$/g, '');
  return plain === '' || RESERVED.test(plain) ? `letter-${plain}`.replace(/-$/, '') : plain;
}

export interface WrittenLetter {
  readonly form: LetterForm;
  readonly content: string;
}

/**
 * Files are small and many. Synchronous calls write them several times faster than calls that wait for a thread each. The caller lets other
 * events in between.
 */
export class LetterFolder {
  readonly #path: string;
  readonly #index: number;

  /** Letters of another run must not mix with these: the folder is new or empty. */
  constructor(path: string) {
    this.#path = path;
    if (this.#try('usage', () => listFolder(path)).length)
      throw new ElsewiseError('usage', `--output ${path}: the folder has files; give a new or an empty folder`);
    this.#index = this.#try('usage', () => openSync(join(path, INDEX_FILE), 'wx'));
  }

  /** Writes the letters of a person and their line in the index. */
  add(id: string, status: string, line: number, letters: readonly WrittenLetter[]): void {
    this.#try('interrupted', () => {
      const name = letters.length ? this.#claim(fileNameOf(id), line, letters[0]) : '';
      for (const { form, content } of letters.slice(1)) this.#write(name, form, content);
      const files = letters.map(({ form }) => [form, fileOf(name, form)]);
      writeSync(this.#index, `${JSON.stringify({ id, status, ...Object.fromEntries(files) })}\n`);
    });
  }

  close(): void {
    closeSync(this.#index);
  }

  /** Writes the first letter under a name that is free. The forms of a letter share the name. */
  #claim(plain: string, line: number, { form, content }: WrittenLetter): string {
    for (let attempt = 0; ; attempt++) {
      const name = [plain, ...(attempt ? [`line-${line}`] : []), ...(attempt > 1 ? [attempt] : [])].join('-');
      try {
        this.#write(name, form, content);
        return name;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }

  #write(name: string, form: LetterForm, content: string): void {
    writeFileSync(join(this.#path, fileOf(name, form)), content, { flag: 'wx' });
  }

  #try<T>(code: 'usage' | 'interrupted', act: () => T): T {
    try {
      return act();
    } catch (error) {
      const what = code === 'usage' ? this.#path : `${this.#path} any further`;
      throw new ElsewiseError(code, `cannot write ${what}: ${(error as Error).message}`);
    }
  }
}

const fileOf = (name: string, form: LetterForm): string => `${name}.${ENDINGS[form]}`;

function listFolder(path: string): string[] {
  mkdirSync(path, { recursive: true });
  return readdirSync(path);
}
