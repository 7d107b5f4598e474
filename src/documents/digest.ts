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
  return digestOfText(canonicalJson(value));
}

export function digestOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The digest of a row: its values as they were read, in the order of the model's features, and its target. */
export function inputDigest(features: object, target: unknown): string {
  return digestOfText(JSON.stringify({ features, target }));
}
