/**
 * The scorer of a `black-box` model in its document. A document is untrusted: it names an address and limits, and the operator's settings
 * decide whether the address is permitted (`scoring` in config.ts). The document contains no token.
 */
import { z } from 'zod';

const text = z.string().min(1).max(500);
const url = z
  .string()
  .max(2000)
  .refine(isPlainUrl, 'expected a URL with http: or https:, without user, password, query and fragment');
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected the SHA-256 of the file, 64 hexadecimal digits');

/** `features`: values by feature, categories by name. `columns`: the numbers after preprocessing. */
const rows = z.enum(['features', 'columns']).default('features');

export const scorerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('http'), url, rows, version: text.optional() }),
  z.strictObject({ type: z.literal('mlflow'), url, rows }),
  z.strictObject({
    type: z.literal('open-inference'),
    url,
    model: text,
    modelVersion: text.optional(),
    output: text.optional(),
  }),
  z.strictObject({ type: z.literal('onnx'), file: text, sha256: sha256.optional(), output: text.optional() }),
]);

export const scoringSchema = z.strictObject({
  scorer: scorerSchema,
  outputs: z.enum(['probabilities', 'labels', 'prediction']),
  batchSize: z.int().min(1).max(10_000).default(256),
  timeoutMs: z.int().min(1).max(60_000).default(5_000),
  retries: z.int().min(0).max(10).default(3),
  concurrency: z.int().min(1).max(64).default(4),
});

export type ScorerDocument = z.output<typeof scorerSchema>;
export type ScorerOf<T extends ScorerDocument['type']> = Extract<ScorerDocument, { type: T }>;
export type ScoringParameters = z.output<typeof scoringSchema>;

function isPlainUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return ['http:', 'https:'].includes(protocol) && !username && !password && !search && !hash;
}

/** Whether the digest of the document does not identify the scoring version: the same input may get other scores later. */
export function isVolatile(scorer: ScorerDocument): boolean {
  switch (scorer.type) {
    case 'http':
      return scorer.version === undefined;
    case 'open-inference':
      return scorer.modelVersion === undefined;
    case 'onnx':
      return scorer.sha256 === undefined;
    default:
      return true;
  }
}
