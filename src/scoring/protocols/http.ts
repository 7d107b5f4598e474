/**
 * Our own protocol, for scorers that are written for elsewise:
 *
 *   POST url   { "schema": "elsewise.score-request/v1", "model": "credit", "columns": ["age", "housing"], "rows": [[41, "own"]] }
 *   200        { "schema": "elsewise.score-response/v1", "version": "7", "scores": [[0.31, 0.69]] }
 *
 * Where the document names a version, every answer has to name the same version.
 */
import { createInputTable } from '../input-table.js';
import { createScoreReader, readScores } from '../score-reader.js';
import { ScorerFault } from '../scorer-fault.js';
import { asObject, type Protocol } from './protocol.js';

const REQUEST = 'elsewise.score-request/v1';
const RESPONSE = 'elsewise.score-response/v1';

export const http: Protocol<'http'> = {
  open(model, scorer, send) {
    const { columns, row } = createInputTable(model, scorer.rows);
    const read = createScoreReader(model);
    const url = new URL(scorer.url);
    return {
      score(inputs) {
        const body = JSON.stringify({ schema: REQUEST, model: model.name, columns, rows: inputs.map(row) });
        return send({ url, body }, inputs.length, (answer) => {
          const { schema, version, scores } = asObject(answer);
          if (schema !== RESPONSE) throw new ScorerFault('shape', `the answer is no ${RESPONSE}`);
          checkVersion(scorer.version, version);
          return readScores(scores, inputs.length, read);
        });
      },
    };
  },
};

/** Compares the version in an answer with the version in the document. */
export function checkVersion(expected: string | undefined, given: unknown): void {
  if (expected === undefined || String(given) === expected) return;
  throw new ScorerFault('version', `the model document is for version ${expected}, another version answered`);
}
