/**
 * Data that a page reads again and again. One request at a time; the pause grows while nothing changes and after errors; a hidden tab asks
 * nothing. The last data stay visible while the server is away.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Loaded } from '../../loading.js';
import { request } from '../../requests.js';

const FIRST_PAUSE_MS = 2_000;
const QUIET_PAUSE_MS = 15_000;
const TROUBLE_PAUSE_MS = 60_000;

export interface Polled<T> {
  readonly loaded: Loaded<T>;
  /** The error of the last request, where earlier data are shown. */
  readonly trouble?: unknown;
}

/** `inputs`: a change loads at once. The data of another address are not shown meanwhile. */
export function usePolled<T>(address: string, inputs: readonly unknown[]): Polled<T> {
  const [polled, setPolled] = useState<Polled<T> & { of: string }>({ of: address, loaded: { state: 'loading' } });
  useEffect(() => {
    const polling = new Polling<T>(address, (loaded) => setPolled((before) => joined(before, loaded, address)));
    return () => polling.end();
  }, [address, ...inputs]);
  return polled.of === address ? polled : { loaded: { state: 'loading' } };
}

function joined<T>(before: Polled<T> & { of: string }, loaded: Loaded<T>, of: string): Polled<T> & { of: string } {
  const hasData = before.of === of && before.loaded.state === 'there';
  if (loaded.state === 'refused' && hasData) return { ...before, trouble: loaded.error };
  return { of, loaded };
}

class Polling<T> {
  readonly #address: string;
  readonly #tell: (loaded: Loaded<T>) => void;
  readonly #onVisible = () => this.#start();
  #asking: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #last = '';

  constructor(address: string, tell: (loaded: Loaded<T>) => void) {
    this.#address = address;
    this.#tell = tell;
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#start();
  }

  end(): void {
    document.removeEventListener('visibilitychange', this.#onVisible);
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = undefined;
  }

  #start(): void {
    this.#stop();
    this.#pauseMs = FIRST_PAUSE_MS;
    if (!document.hidden) void this.#ask();
  }

  async #ask(): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const loaded = await request<T>('GET', this.#address, { signal: asking.signal }).then(
      (value): Loaded<T> => ({ state: 'there', value }),
      (error): Loaded<T> => ({ state: 'refused', error }),
    );
    if (asking.signal.aborted) return;
    this.#pauseMs = this.#nextPause(loaded);
    this.#tell(loaded);
    this.#timer = setTimeout(() => void this.#ask(), this.#pauseMs);
  }

  #nextPause(loaded: Loaded<T>): number {
    if (loaded.state === 'refused') return Math.min(TROUBLE_PAUSE_MS, 2 * this.#pauseMs);
    const text = JSON.stringify(loaded);
    const isSame = text === this.#last;
    this.#last = text;
    return isSame ? Math.min(QUIET_PAUSE_MS, 1.5 * this.#pauseMs) : FIRST_PAUSE_MS;
  }
}
