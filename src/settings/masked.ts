/** Values for display: a secret is masked, and an address is shown without its credentials. */
import type { Entry } from './entries.js';

const MASK = '***';
const LOGIN = /(?<=\/\/).+(?=@)/;

export function masked(value: unknown, { isSecret }: Pick<Entry, 'isSecret'>): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isAddress = typeof value === 'string' && text.includes('://');
  return isSecret && !isAddress && text !== '' ? MASK : text.replace(LOGIN, MASK);
}
