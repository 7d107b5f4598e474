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

/** The present address, and a new object after each change, also where the address is the same as an earlier one. */
export function useAddress(): PageAddress {
  const [address, setAddress] = useState(() => readAddress(location.hash));
  useEffect(() => {
    const onChange = () => setAddress(readAddress(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return address;
}
