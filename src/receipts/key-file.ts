/**
 * The file of keys. A reader looks at the file's state before each use and reads the file again when the state has changed: a rotation needs
 * no restart. While a changed file cannot be read, the keys from before stay in use. The file is for its owner only.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { ElsewiseError } from '../documents/error.js';
import { type KeySet, openKeys, type ReceiptKey } from './key-set.js';

const OTHERS = 0o077;
const OWNER_ONLY = 0o600;

export class KeyFile {
  readonly #path: string;
  readonly #warn: (message: string) => void;
  #state = '';
  #keys: Promise<KeySet> | undefined;

  constructor(path: string, warn: (message: string) => void) {
    this.#path = path;
    this.#warn = warn;
  }

  /** Throws only while the file was never read. */
  async keys(): Promise<KeySet> {
    const before = this.#keys;
    try {
      const state = await this.#stateOf();
      if (state === this.#state && before) return await before;
      this.#state = state;
      const opened = openKeyFile(this.#path, this.#warn);
      this.#keys = before ? opened.catch((error: Error) => this.#keep(before, error)) : opened;
      return await this.#keys;
    } catch (error) {
      if (!before) this.#keys = undefined;
      if (!before) throw error;
      return this.#keep(before, error as Error);
    }
  }

  #keep(before: Promise<KeySet>, { message }: Error): Promise<KeySet> {
    this.#warn(`the keys of receipts stay as they were: ${message}`);
    return before;
  }

  async #stateOf(): Promise<string> {
    const { mtimeMs, size, ino } = await stat(this.#path).catch((error: NodeJS.ErrnoException) => {
      throw notReadable(this.#path, error);
    });
    return `${mtimeMs} ${size} ${ino}`;
  }
}

/** Reads keys once. `warn` gets a message where others may read private keys. */
export async function openKeyFile(path: string, warn: (message: string) => void): Promise<KeySet> {
  const keys = await openKeys(await readText(path), path);
  if (keys.signer && process.platform !== 'win32' && (await stat(path)).mode & OTHERS)
    warn(`${path} has private keys, and other users may read the file: chmod 600 ${path}`);
  return keys;
}

export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw notReadable(path, error);
  });
}

const notReadable = (path: string, { code, message }: NodeJS.ErrnoException): ElsewiseError =>
  new ElsewiseError('bad-document', code === 'ENOENT' ? 'no such file' : `cannot be read: ${message}`, path);

/** Readers see the file before or the file after. */
export async function writeKeyFile(path: string, keys: readonly ReceiptKey[]): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: OWNER_ONLY, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new ElsewiseError('usage', `cannot write ${path}: ${(error as Error).message}`);
  }
}
