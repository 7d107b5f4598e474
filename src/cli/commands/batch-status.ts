/** `elsewise batch status ID`: the manifest and the totals of a batch. */
import { formatNumber, formatPercent } from '../../report/numbers.js';
import type { BatchStatus } from '../../store/batch-store.js';
import { defineCommand } from '../command.js';
import { STORE_OPTIONS, useStore } from '../store-options.js';
import { formatTable } from '../table.js';

export const status = defineCommand({
  usage: 'batch status ID [--json] [--redis URL]',
  about: 'Says how far a batch is: chunks done and failed, rows answered by status, with which model and policy.',
  options: { json: { kind: 'flag', help: 'as one line of JSON, for scripts' }, ...STORE_OPTIONS },
  positionals: ['ID'],
  examples: [{ does: 'how far is it?', command: 'batch status credit-20260115-093042-1f6e' }],
  async run({ options, positionals: [id] }) {
    const found = await useStore(options, ({ batches }) => batches.status(id));
    process.stdout.write(options.json ? `${JSON.stringify(summarise(found))}\n` : `${formatTable(describe(found))}\n`);
    return 0;
  },
});

const answered = ({ counts }: BatchStatus): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

function stateOf({ isSealed, chunks, done, failed }: BatchStatus): string {
  if (!isSealed) return 'being added';
  if (done + failed < chunks) return 'working';
  return failed > 0 ? 'failed' : 'done';
}

function summarise(status: BatchStatus): object {
  const { manifest, rows, chunks, done, failed, counts } = status;
  const { id, model, policy, created } = manifest;
  const common = { id, state: stateOf(status), created, model, policy: policy.digest };
  return { ...common, rows, answered: answered(status), counts, chunks, done, failed };
}

function describe(status: BatchStatus): string[][] {
  const { manifest, rows, chunks, done, failed, counts } = status;
  const { model, policy } = manifest;
  return [
    ['batch', manifest.id],
    ['state', stateOf(status)],
    ['model', `${model.name}@${model.version}`],
    ['policy', policy.document.name],
    ['created', manifest.created],
    [
      'chunks',
      `${formatNumber(done)} of ${formatNumber(chunks)} done${failed ? `, ${formatNumber(failed)} failed` : ''}`,
    ],
    ['rows', `${formatNumber(answered(status))} of ${formatNumber(rows)} answered`],
    ...Object.entries(counts).map(([name, count]) => [
      `  ${name}`,
      `${formatNumber(count)} (${formatPercent(count, rows)})`,
    ]),
  ];
}
