/**
 * A network between a client and a server that can be made bad on purpose:
 *
 *   const proxy = await TcpProxy.start(6379);
 *   proxy.cut();       connections break and new ones are refused, as when the server is gone
 *   proxy.freeze();    connections stay and nothing passes, as when a switch drops packets
 *   proxy.delay(50);   everything passes, each way so many milliseconds late and in order
 *   proxy.restore();   a good network again; what was held back by `freeze` passes
 *   await proxy.close();
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export class TcpProxy {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isFrozen = false;
  #delayMs = 0;

  /** To a port of this machine, or to the server of a URL. */
  static async start(target: number | string): Promise<TcpProxy> {
    const { hostname, port } = typeof target === 'number' ? { hostname: '127.0.0.1', port: target } : new URL(target);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Of a Redis behind it. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.#sockets.size / 2;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  delay(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  restore(): void {
    this.#isCut = false;
    this.#isFrozen = false;
    this.#delayMs = 0;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    if (this.#isCut) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target);
    this.#pipe(client, server);
    this.#pipe(server, client);
  }

  /** One way. Either end that closes or breaks takes the other along. */
  #pipe(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => {}); // told by `close`
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    let passed: Promise<unknown> = Promise.resolve();
    from.on('data', (bytes) => {
      passed = this.#pass(bytes, to, passed);
    });
    if (this.#isFrozen) from.pause();
  }

  /** Not before what came before, also when the delay has become shorter: a network that swaps bytes would be none. */
  async #pass(bytes: Buffer, to: Socket, before: Promise<unknown>): Promise<void> {
    await Promise.all([before, this.#delayMs > 0 && sleep(this.#delayMs)]);
    if (to.writable) to.write(bytes);
  }
}
