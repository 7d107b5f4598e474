/** Where bytes come from and go to: files and the standard streams, with errors that name them. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { ElsewiseError } from '../documents/error.js';

export interface ByteSource {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** undefined: not known. */
  readonly size: number | undefined;
}

export interface ByteSink {
  /** Resolves when more may be written. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const READ_BYTES = 1 << 18;

/** `-` is standard input. */
export async function openSource(path: string): Promise<ByteSource> {
  if (path === '-') return { name: 'standard input', bytes: process.stdin, size: undefined };
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new ElsewiseError('bad-input', error.code === 'ENOENT' ? 'no such file' : error.message, path);
  });
  if (info.isDirectory()) throw new ElsewiseError('bad-input', 'is a folder', path);
  return { name: path, bytes: readFileBytes(path), size: info.isFile() ? info.size : undefined };
}

async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES });
  } catch (error) {
    throw new ElsewiseError('bad-input', `cannot be read: ${(error as Error).message}`, path);
  }
}

/** `-` is standard output. A file is cut off at `keepBytes` and goes on from there. */
export async function openSink(path: string, keepBytes = 0): Promise<ByteSink> {
  if (path === '-') return { write: writeStandardOutput, close: async () => {} };
  const file = await open(path, keepBytes > 0 ? 'r+' : 'w').catch((error: NodeJS.ErrnoException) => {
    throw new ElsewiseError('usage', `cannot write ${path}: ${error.message}`);
  });
  if (keepBytes > 0) await file.truncate(keepBytes);
  return new FileSink(file, path, keepBytes);
}

class FileSink implements ByteSink {
  readonly #file: FileHandle;
  readonly #path: string;
  #position: number;

  constructor(file: FileHandle, path: string, position: number) {
    this.#file = file;
    this.#path = path;
    this.#position = position;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file
        .write(bytes, done, bytes.length - done, this.#position)
        .catch(this.#fail);
      done += bytesWritten;
      this.#position += bytesWritten;
    }
  }

  /** What is written stays whole but for the last line, which `--resume` cuts off. */
  readonly #fail = (error: Error): never => {
    throw new ElsewiseError('interrupted', `cannot write ${this.#path} any further: ${error.message}`);
  };

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function writeStandardOutput(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
