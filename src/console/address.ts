/** The address of a page: `#/person?model=credit@3&id=a-17`. The part after # never leaves the browser. */
import { useEffect, useState } from 'preact/hooks';

export interface PageAddress {
  readonly page: string;
  readonly values: Readonly<Record<string, string>>;
}

export function readAddress(hash: string): PageAddress {
  const [page, query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { page, values: Object.fromEntries(new URLSearchParams(query)) };
}

export function writeAddress({ page, values }: PageAddress): string {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return given.length ? `#/${page}?${new URLSearchParams(given)}` : `#/${page}`;
}

/** Changes the address without an entry in the history. */
export function replaceAddress(address: PageAddress): void {
  history.replaceState(null, '', writeAddress(address));
}

/** The present address, and anew after each change. */
export function useAddress(): PageAddress {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return readAddress(hash);
}
