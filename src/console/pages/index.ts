/** THE TABLE of pages. A new page is a folder with its component and a row of this table. */
import type { ConsolePage, ConsoleSession } from '../page.js';

export const PAGES: readonly ConsolePage[] = [
  {
    name: 'person',
    title: 'Person',
    roles: ['submit', 'read'],
    load: async () => (await import('./person/person-page.js')).PersonPage,
  },
  {
    name: 'models',
    title: 'Data scientist',
    roles: ['read'],
    load: async () => (await import('./data-scientist/data-scientist-page.js')).DataScientistPage,
  },
  {
    name: 'operator',
    title: 'Operator',
    roles: ['read'],
    load: async () => (await import('./operator/operator-page.js')).OperatorPage,
  },
  {
    name: 'audit',
    title: 'Auditor',
    roles: ['audit'],
    load: async () => (await import('./auditor/auditor-page.js')).AuditorPage,
  },
];

export function maySee({ roles }: ConsolePage, session: ConsoleSession): boolean {
  return session.roles.includes('admin') || roles.every((role) => session.roles.includes(role));
}
