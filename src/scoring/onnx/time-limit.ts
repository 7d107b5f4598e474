/**
 * The time limit of one batch in a native runtime, which works in its own thread and cannot be stopped. Late work is abandoned, and no
 * further work starts before it has ended: a file that computes without end occupies no further threads.
 */
import { ScorerFault } from '../scorer-fault.js';

export class TimeLimit {
  private readonly late = new Set<Promise<unknown>>();

  constructor(private readonly limitMs: number) {}

  /** Rejects with a `timeout`, at once while earlier work is late. */
  async within<T>(begin: () => Promise<T>): Promise<T> {
    if (this.late.size) throw this.fault();
    const work = begin();
    let timer: NodeJS.Timeout | undefined;
    const struck = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.giveUp(work);
        reject(this.fault());
      }, this.limitMs);
    });
    return Promise.race([work, struck]).finally(() => clearTimeout(timer));
  }

  private giveUp(work: Promise<unknown>): void {
    const end = () => void this.late.delete(work);
    this.late.add(work);
    work.then(end, end);
  }

  private fault(): ScorerFault {
    return new ScorerFault('timeout', `the ONNX file gives no scores within ${this.limitMs} ms`, false);
  }
}
