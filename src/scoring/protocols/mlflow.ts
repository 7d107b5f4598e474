/**
 * MLflow's scoring server (`mlflow models serve`):
 *
 *   POST url/invocations   { "dataframe_split": { "columns": ["age", "housing"], "data": [[41, "own"]] } }
 *   200                    { "predictions": [...] }
 *
 * The server does not report the version of the model, so the model is always volatile.
 */
import { createInputTable } from '../input-table.js';
import { createScoreReader, readScores } from '../score-reader.js';
import { asObject, below, type Protocol } from './protocol.js';

export const mlflow: Protocol<'mlflow'> = {
  open(model, scorer, send) {
    const { columns, row } = createInputTable(model, scorer.rows);
    const read = createScoreReader(model);
    const url = below(scorer.url, 'invocations');
    return {
      score(inputs) {
        const body = JSON.stringify({ dataframe_split: { columns, data: inputs.map(row) } });
        return send({ url, body }, inputs.length, (answer) =>
          readScores(asObject(answer).predictions, inputs.length, read),
        );
      },
    };
  },
};
