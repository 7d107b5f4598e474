/** Content digests: the order of keys does not change the digest of a document. */
import { createHash } from 'node:crypto';

/** JSON with the keys of every object sorted. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, node) =>
    node && typeof node === 'object' && !Array.isArray(node)
      ? Object.fromEntries(
          Object.keys(node)
            .sort()
            .map((key) => [key, (node as Record<string, unknown>)[key]]),
        )
      : node,
  );
}

export function digestOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
