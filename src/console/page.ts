/** A page of the console, and the things that the frame gives to the page. */
import type { ComponentType } from 'preact';
import type { PageAddress } from './address.js';

export type ConsoleRole = 'submit' | 'read' | 'audit' | 'admin';

/** The caller who signed in. */
export interface ConsoleSession {
  readonly name: string;
  readonly roles: readonly ConsoleRole[];
}

export interface PageProps {
  readonly session: ConsoleSession;
  readonly address: PageAddress;
}

export interface ConsolePage {
  /** In the address: `#/person`. */
  readonly name: string;
  readonly title: string;
  /** The roles that the page needs, all of them. An admin has every role. */
  readonly roles: readonly ConsoleRole[];
  /** The code of the page is loaded when the page is first opened. */
  load(): Promise<ComponentType<PageProps>>;
}
