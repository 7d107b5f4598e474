/**
 * Standard output and standard error of a command. A result that did not reach standard output ends the process with a message and the exit
 * code of an interruption. The one exception is a reader that has seen enough (`| head`, EPIPE): the process then ends quietly, with 0.
 */
import { fstatSync, writeSync } from 'node:fs';
import { ElsewiseError } from '../documents/error.js';

type Written = (error?: Error | null) => void;

export function guardStandardStreams(): void {
  if (isFile(process.stdout)) process.stdout._write = writeToFile;
  process.stdout.on('error', endProcess);
  process.stderr.on('error', () => {}); // standard error is gone; only the exit code remains
}

/** Resolves once everything written to standard output has arrived, or has ended the process. */
export function standardOutputEnds(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write('', () => setImmediate(resolve)); // an error event follows one turn later
  });
}

function endProcess(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  const failure = new ElsewiseError('interrupted', `cannot write standard output any further: ${error.message}`);
  process.stderr.write(`elsewise: ${failure.message}\n`);
  process.exit(failure.exitCode);
}

/** Node writes each piece to a file or a device by one call, and ignores that a piece was cut short. */
function isFile({ fd, isTTY }: NodeJS.WriteStream & { fd: number }): boolean {
  const about = fstatSync(fd);
  return about.isFile() || (about.isCharacterDevice() && !isTTY);
}

/** A nearly full disk accepts the first part of a piece without any error. */
function writeToFile(piece: Uint8Array, _encoding: BufferEncoding, done: Written): void {
  try {
    for (let at = 0; at < piece.length; ) at += writeSync(process.stdout.fd, piece, at);
  } catch (error) {
    return void done(error as Error);
  }
  done();
}
