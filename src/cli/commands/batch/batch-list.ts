/** `elsewise batch list`: the stored batches, newest first. */
import { listBatches } from '../../../jobs/batches/batch-list.js';
import { stateOf } from '../../../jobs/batches/batch-summary.js';
import { formatNumber, formatPercent } from '../../../report/numbers.js';
import type { BatchStatus } from '../../../store/batches/batch-store.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';

const HEADER = ['batch', 'state', 'rows', 'answered', 'model', 'policy', 'added', 'by'];
const LIMIT = 20;

export const list = defineCommand({
  usage: 'batch list [--limit N] [--after PLACE] [--json] [--redis URL]',
  about: `Lists the batches in Redis, newest first, with their state, rows, model, policy and producer. Expired batches are
gone. Where more batches follow, the last line has the command for the next page.`,
  options: {
    limit: { kind: 'whole', value: 'N', min: 1, help: `at most N batches (${LIMIT})` },
    after: { kind: 'text', value: 'PLACE', help: 'the place of a page, from the last line of the page before' },
    json: { kind: 'flag', help: 'one line of JSON each, for scripts' },
    ...STORE_OPTIONS,
  },
  examples: [
    { does: 'the latest batches', command: 'batch list' },
    {
      does: 'ids of batches that failed',
      command: 'batch list --limit 1000 --json | jq -r \'select(.state == "failed").id\'',
    },
  ],
  run: ({ options }) =>
    useStore(options, async (store) => {
      const { batches, next } = await listBatches(store, options.limit ?? LIMIT, options.after);
      const more = next === undefined ? '' : `more: elsewise batch list --after ${next}\n`;
      if (options.json) process.stdout.write(batches.map((batch) => `${JSON.stringify(record(batch))}\n`).join(''));
      else process.stdout.write(batches.length > 0 ? `${show(batches)}\n${more}` : 'no batches\n');
      return 0;
    }),
});

function show(batches: readonly BatchStatus[]): string {
  return formatTable(
    [HEADER, ...batches.map(describe)],
    [...HEADER].map((_, c) => (c === 2 || c === 3 ? 'right' : 'left')),
  );
}

function describe(status: BatchStatus): string[] {
  const { id, state, rows, answered, model, policy, created, by } = record(status);
  const share = formatPercent(answered, rows);
  return [id, state, formatNumber(rows), share, model, policy, created.slice(0, 19), by];
}

function record(status: BatchStatus) {
  const { manifest, rows, answered } = status;
  const { id, model, policy, created, by } = manifest;
  const state = stateOf(status);
  return {
    id,
    state,
    rows,
    answered,
    model: `${model.name}@${model.version}`,
    policy: policy.document.name,
    created,
    by,
  };
}
