/** Data of a page: loading, there, or refused. */
import { useEffect, useState } from 'preact/hooks';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'there'; readonly value: T }
  | { readonly state: 'refused'; readonly error: unknown };

/** Loads anew when one of `inputs` changes. The signal ends the requests of an earlier load. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  useEffect(() => {
    const ending = new AbortController();
    setLoaded({ state: 'loading' });
    load(ending.signal).then(
      (value) => ending.signal.aborted || setLoaded({ state: 'there', value }),
      (error) => ending.signal.aborted || setLoaded({ state: 'refused', error }),
    );
    return () => ending.abort();
  }, inputs);
  return loaded;
}
