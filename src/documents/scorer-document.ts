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

const typeOf = <T extends string>(type: T, meaning: string) => z.literal(type).describe(meaning);
const address = url.describe('The address of the scorer. The settings of the operator decide whether it is permitted.');
const output = text.optional().describe('The output with the scores. Default: the only output of the model.');
const rows = z
  .enum(['features', 'columns'])
  .default('features')
  .describe(
    'The form of a row. `features` sends values by feature and categories by name. `columns` sends the numbers after preprocessing.',
  );

export const scorerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: typeOf('http', 'A scorer with the HTTP protocol of docs/black-box.md.'),
    url: address,
    rows,
    version: text
      .optional()
      .describe('The version of the scorer. Answers are kept for equal rows only where the version is known.'),
  }),
  z.strictObject({ type: typeOf('mlflow', 'A scoring server of MLflow.'), url: address, rows }),
  z.strictObject({
    type: typeOf('open-inference', 'A server of the Open Inference Protocol, such as KServe or Triton.'),
    url: address,
    model: text.describe('The name of the model on the server.'),
    modelVersion: text
      .optional()
      .describe('The version of the model on the server. Default: the choice of the server.'),
    output,
  }),
  z.strictObject({
    type: typeOf('onnx', 'An ONNX file.'),
    file: text.describe('The path of the file, in a directory that the settings permit.'),
    sha256: sha256.optional().describe('The SHA-256 of the file. A file with other content is refused.'),
    output,
  }),
]);

export const scoringSchema = z.strictObject({
  scorer: scorerSchema.describe('The program or file that scores rows.'),
  outputs: z
    .enum(['probabilities', 'labels', 'prediction'])
    .describe('The kind of output: a probability for each class, a class, or the number of a regressor.'),
  batchSize: z.int().min(1).max(10_000).default(256).describe('The largest number of rows in one request.'),
  timeoutMs: z.int().min(1).max(60_000).default(5_000).describe('The time for one request, in milliseconds.'),
  retries: z.int().min(0).max(10).default(3).describe('The number of repeats of a request that failed.'),
  concurrency: z.int().min(1).max(64).default(4).describe('The largest number of requests at the same time.'),
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
