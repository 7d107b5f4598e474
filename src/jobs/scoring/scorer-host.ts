/** The main thread's side of the thread that asks scorers. The thread is started for the first model that needs it. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { config } from '../../config.js';
import { SCORER_THREAD } from '../../places.js';
import type { ScoredModel } from '../../scoring/point-scorer.js';
import type { ClientWatcher } from '../../scoring/transport/scorer-client.js';
import type { Connection, ScorerNews } from './scorer-messages.js';

class ScorerHost {
  #thread: Worker | undefined;
  #watcher: ClientWatcher | undefined;

  /** A port for a solver thread. The port closes with either thread. */
  connect(model: ScoredModel): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#start().postMessage({ model, port: port1 } satisfies Connection, [port1]);
    return port2;
  }

  /** The port on which a solver thread that scores an ONNX file reports its attempts. Undefined: no watcher is set. */
  newsPort(): MessagePort | undefined {
    if (!this.#watcher) return undefined;
    const { port1, port2 } = new MessageChannel();
    port1.on('message', (news: ScorerNews) => this.#hear(news));
    port1.unref();
    return port2;
  }

  /** Sets the watcher for metrics. */
  watch(watcher: ClientWatcher): void {
    this.#watcher = watcher;
  }

  /** The thread keeps no process alive. A thread that ends is replaced with the next connection. */
  #start(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(SCORER_THREAD, { workerData: config.scoring });
    thread.unref();
    thread.on('message', (news: ScorerNews) => this.#hear(news));
    thread.on('error', () => {}); // `exit` follows
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#thread = thread;
    return thread;
  }

  #hear(news: ScorerNews): void {
    if (news.kind === 'attempt') this.#watcher?.onAttempt(news.report);
    else this.#watcher?.onBreaker(news.host, news.isOpen);
  }
}

export const scorerHost = new ScorerHost();
