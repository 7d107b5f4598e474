/** `elsewise schedule show NAME`: a schedule and its last runs, file by file. */
import { showTime } from '../../../jobs/schedules/cron.js';
import { type ScheduleStatus, Schedules } from '../../../jobs/schedules/schedule.js';
import { formatCount } from '../../../report/numbers.js';
import type { Delivery, RunFile, ScheduleRun } from '../../../store/schedules/schedule-document.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';
import { describeRun } from '../../words/schedule.js';

const RUNS_SHOWN = 5;

export const show = defineCommand({
  usage: 'schedule show NAME [--json] [--redis URL]',
  about: `Shows a schedule, its next times, and its last runs: files, their batches, the place of results, and
failures with their reasons.`,
  options: { json: { kind: 'flag', help: 'everything as one line of JSON, for scripts' }, ...STORE_OPTIONS },
  positionals: ['NAME'],
  examples: [{ does: 'what happened last night?', command: 'schedule show nightly' }],
  run: ({ options, positionals: [name] }) =>
    useStore(options, async (store) => {
      const status = await new Schedules(store).read(name);
      const runs = await store.schedules.runs(name);
      const deliveries = await store.schedules.deliveries(name);
      const text = options.json
        ? JSON.stringify({ ...status, runs, deliveries: Object.fromEntries(deliveries) })
        : describe(status, runs.slice(0, RUNS_SHOWN), deliveries);
      process.stdout.write(`${text}\n`);
      return 0;
    }),
});

function describe({ schedule, next }: ScheduleStatus, runs: ScheduleRun[], deliveries: Map<string, Delivery>): string {
  const { name, cron, timeZone, model, policy, input, output, isPaused } = schedule;
  const policyName = policy === undefined ? 'none' : 'document' in policy ? policy.document.name : policy.reference;
  const about = [
    ['schedule', name],
    ['cron', `${cron} (${timeZone})`],
    ['next run', isPaused ? 'paused' : next ? showTime(next, timeZone) : 'none: see `schedule resume`'],
    ['model', model],
    ['policy', policyName],
    ['input', input],
    ['output', output ?? 'none: results stay in Redis, see `batch wait`'],
  ];
  const told = runs.flatMap((run) => describeOne(run, timeZone, deliveries));
  return [formatTable(about), ...(told.length > 0 ? ['', ...told] : [])].join('\n');
}

function describeOne(run: ScheduleRun, timeZone: string, deliveries: Map<string, Delivery>): string[] {
  const head = `  ${showTime(new Date(run.id), timeZone)}, ${run.kind}${run.model ? `, ${run.model}` : ''}`;
  const files = run.files.map((file) => `    ${file.file}: ${describeFile(file, deliveries)}`);
  return [`${head}: ${describeRun(run, deliveries)}`, ...files];
}

function describeFile({ batch, rows = 0, failure }: RunFile, deliveries: Map<string, Delivery>): string {
  if (failure || batch === undefined) return `failed: ${failure?.message}`;
  const delivery = deliveries.get(batch);
  const after = delivery?.output ?? delivery?.failure?.message;
  return `${formatCount(rows, 'row')}, batch ${batch}${after ? ` -> ${after}` : ''}`;
}
