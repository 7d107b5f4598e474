/**
 * The commands that Redis runs while some work goes on, read from MONITOR by a socket of its own. While other tests keep
 * Redis busy, commands arrive together with the answer to MONITOR; ioredis takes the first of those commands for answers
 * to commands of its own, and throws.
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Redis } from 'ioredis';

/** Each command as its words, escaped as MONITOR escapes them. */
export async function commandsDuring(redis: Redis, work: () => Promise<unknown>): Promise<string[][]> {
  const { host, port } = redis.options;
  const feed = new Feed(connect({ host, port: port as number }));
  try {
    await feed.has('+OK\r\n');
    await work();
    const end = randomUUID();
    await redis.echo(end);
    await feed.has(end);
  } finally {
    feed.close();
  }
  return feed.text.split('\r\n').map(wordsOf);
}

/** `+time [database address] "get" "key"` */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) => word as string);

class Feed {
  text = '';

  constructor(private readonly socket: Socket) {
    socket.on('data', (bytes) => {
      this.text += bytes;
    });
    socket.write('MONITOR\r\n');
  }

  has(part: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => this.text.includes(part) && resolve();
      this.socket.on('data', look);
      this.socket.once('error', reject);
      look();
    });
  }

  close(): void {
    this.socket.destroy();
  }
}
