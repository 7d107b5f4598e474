/** THE TABLE of scorer faults, by the kinds that metrics count. docs/failures.md shows it. */
import { type FaultKind, ScorerFault } from '../../scoring/scorer-fault.js';

interface ScorerFaultAdvice {
  readonly cause: string;
  readonly operator: string;
}

const SCORER_FAULTS: Readonly<Record<FaultKind, ScorerFaultAdvice>> = {
  refused: {
    cause:
      'A host that is not listed, a private address or a redirect. A missing runtime or file, or an ONNX file with weights in other files.',
    operator: 'Allow the host, or name the final address. Install the runtime, or export one whole file.',
  },
  timeout: {
    cause: 'No whole answer within `timeoutMs` of the model, or a batch of an ONNX file that took longer.',
    operator: 'Make the scorer faster, `batchSize` smaller or `timeoutMs` longer.',
  },
  connection: {
    cause: 'No connection, or a connection that broke.',
    operator: 'Bring the scorer back. Check name, port and certificate.',
  },
  status: {
    cause: 'A status other than 2xx. 5xx, 408, 425 and 429 are repeated, others are not.',
    operator: '401 and 403: set `scoring.tokens`. 404: correct `url`, `model` or `modelVersion`.',
  },
  'too-long': {
    cause: 'An answer above `scoring.maxResponseBytes`. It is not repeated.',
    operator: 'Make `batchSize` smaller, or raise the setting.',
  },
  'not-json': {
    cause: 'An answer that is no JSON in UTF-8, or that is compressed.',
    operator: 'Look at what a proxy answers in the place of the scorer.',
  },
  shape: {
    cause: 'Other counts, shapes, names or schemas, or an ONNX file that does not load or fit.',
    operator: 'Compare inputs and outputs with the model document.',
  },
  version: {
    cause: 'Another version than the document names, or another SHA-256 of an ONNX file.',
    operator: 'Roll the scorer back, or push a document for the new version.',
  },
  number: {
    cause: 'Scores that are no numbers, no probabilities or no classes. Only the rows that need them are lost.',
    operator: 'Repair the model behind the scorer for these inputs.',
  },
};

const TOP = `
## Faults of scorers

One row for each \`kind\` in \`elsewise_scorer_failures_total\`. The counter counts attempts. The code is the code of rows whose last repeat failed.

| kind | cause | code of the rows | what the operator does |
| --- | --- | --- | --- |
`;

export function scorerFaultSection(): string {
  const rows = Object.entries(SCORER_FAULTS).map(([kind, { cause, operator }]) => {
    const { code } = new ScorerFault(kind as FaultKind, '').toError();
    return `| \`${kind}\` | ${cause} | \`${code}\` | ${operator} |\n`;
  });
  return TOP + rows.join('');
}
