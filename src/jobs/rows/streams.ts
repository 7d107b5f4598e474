/** Sources and sinks of bytes: files and the standard streams, with errors that name them. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { ElsewiseError } from '../../documents/error.js';
import { readingFault, writingFault } from '../../documents/file-fault.js';

export interface ByteSource {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Undefined: not known. */
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
    throw new ElsewiseError('bad-input', readingFault(error), path);
  });
  if (info.isDirectory()) throw new ElsewiseError('bad-input', 'is a folder', path);
  return { name: path, bytes: new FileBytes(path), size: info.isFile() ? info.size : undefined };
}

/** The bytes of a file from its start. A format that needs other places opens the path. */
export class FileBytes implements AsyncIterable<Uint8Array> {
  constructor(readonly path: string) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* createReadStream(this.path, { highWaterMark: READ_BYTES });
    } catch (error) {
      throw new ElsewiseError('bad-input', `cannot be read: ${(error as Error).message}`, this.path);
    }
  }
}

/** `-` is standard output. A file is truncated at `keepBytes` and continued from there. */
export async function openSink(path: string, keepBytes = 0): Promise<ByteSink> {
  if (path === '-') return { write: writeStandardOutput, close: async () => {} };
  try {
    if (keepBytes > 0) await truncate(path, keepBytes);
    return new FileSink(await open(path, keepBytes > 0 ? 'a' : 'w'), path);
  } catch (error) {
    throw new ElsewiseError('usage', `cannot write ${path}: ${writingFault(error as NodeJS.ErrnoException)}`);
  }
}

class FileSink implements ByteSink {
  readonly #file: FileHandle;
  readonly #path: string;

  constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** Written lines stay. The last line may be incomplete, and `--resume` cuts it off. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#file.writeFile(bytes).catch(this.#fail);
  }

  /** Some file systems report a full disk only here. */
  close(): Promise<void> {
    return this.#file.close().catch(this.#fail);
  }

  readonly #fail = (error: Error): never => {
    throw new ElsewiseError('interrupted', `cannot write ${this.#path} any further: ${error.message}`);
  };
}

/** Writes a small output as a whole. */
export async function writeOutput(path: string, text: string): Promise<void> {
  const sink = await openSink(path);
  await sink.write(Buffer.from(text)).finally(() => sink.close());
}

function writeStandardOutput(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
