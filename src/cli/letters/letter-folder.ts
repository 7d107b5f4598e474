/**
 * The folder of letters. Ids come from files and may be anything: a file name has only small letters, digits, dashes and underscores. Two ids may
 * give the same name, also where a file system ignores case. A file is never overwritten: the second name gets the number of its line.
 */
import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';
import { type ByteSink, openSink } from '../../jobs/rows/streams.js';
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

export class LetterFolder {
  readonly #path: string;
  readonly #index: ByteSink;

  private constructor(path: string, index: ByteSink) {
    this.#path = path;
    this.#index = index;
  }

  /** Letters of another run must not mix with these: the folder is new or empty. */
  static async open(path: string): Promise<LetterFolder> {
    const files = await mkdir(path, { recursive: true })
      .then(() => readdir(path))
      .catch((error: Error) => {
        throw new ElsewiseError('usage', `cannot write ${path}: ${error.message}`);
      });
    if (files.length)
      throw new ElsewiseError('usage', `--output ${path}: the folder has files; give a new or an empty folder`);
    return new LetterFolder(path, await openSink(join(path, INDEX_FILE)));
  }

  /** Writes the letters of a person and their line in the index. */
  async add(id: string, status: string, line: number, letters: readonly WrittenLetter[]): Promise<void> {
    const name = letters.length ? await this.#claim(fileNameOf(id), line, letters[0]) : '';
    const fileOf = (form: LetterForm) => `${name}.${ENDINGS[form]}`;
    for (const { form, content } of letters.slice(1)) await this.#write(fileOf(form), content);
    const files = letters.map(({ form }) => [form, fileOf(form)]);
    await this.#index.write(Buffer.from(`${JSON.stringify({ id, status, ...Object.fromEntries(files) })}\n`));
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  /** Writes the first letter under a name that is free. The forms of a letter share the name. */
  async #claim(plain: string, line: number, { form, content }: WrittenLetter): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      const name = [plain, ...(attempt ? [`line-${line}`] : []), ...(attempt > 1 ? [attempt] : [])].join('-');
      const file = await open(join(this.#path, `${name}.${ENDINGS[form]}`), 'wx').catch(this.#unlessTaken);
      if (!file) continue;
      await file
        .writeFile(content)
        .finally(() => file.close())
        .catch(this.#fail);
      return name;
    }
  }

  #write(name: string, content: string): Promise<void> {
    return writeFile(join(this.#path, name), content, { flag: 'wx' }).catch(this.#fail);
  }

  readonly #unlessTaken = (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== 'EEXIST') this.#fail(error);
    return undefined;
  };

  readonly #fail = (error: Error): never => {
    throw new ElsewiseError('interrupted', `cannot write ${this.#path} any further: ${error.message}`);
  };
}
