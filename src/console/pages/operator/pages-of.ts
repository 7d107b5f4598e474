/** The addresses of the pages that were opened so far. The server names the address of the next page. */
import { useState } from 'preact/hooks';

export interface OpenedPages {
  readonly address: string;
  readonly page: number;
  move(step: 1 | -1, next: string | undefined): void;
}

/** Begins anew when the address of the first page changes. */
export function useOpenedPages(first: string): OpenedPages {
  const [opened, setOpened] = useState<readonly string[]>([first]);
  const addresses = opened[0] === first ? opened : [first];
  return {
    address: addresses.at(-1)!,
    page: addresses.length - 1,
    move: (step, next) => setOpened(step === 1 && next ? [...addresses, next] : addresses.slice(0, -1)),
  };
}
