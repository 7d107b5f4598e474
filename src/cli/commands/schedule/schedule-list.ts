/** `elsewise schedule list`: the next run, the last run and its outcome for each schedule. */
import { showTime } from '../../../jobs/schedules/cron.js';
import { type ScheduleStatus, Schedules } from '../../../jobs/schedules/schedule.js';
import type { Store } from '../../../store/store.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';
import { describeRun } from '../../words/schedule.js';

const HEADER = ['schedule', 'cron', 'next run', 'last run', 'last outcome'];

export const list = defineCommand({
  usage: 'schedule list [--redis URL]',
  about: 'Lists all schedules with the next run, the last run and its outcome. `schedule show` tells more.',
  options: STORE_OPTIONS,
  examples: [{ does: 'did everything run last night?', command: 'schedule list' }],
  run: ({ options }) =>
    useStore(options, async (store) => {
      const all = await new Schedules(store).list();
      const rows = await Promise.all(all.map((status) => describe(store, status)));
      process.stdout.write(`${rows.length ? formatTable([HEADER, ...rows]) : 'no schedules: see `schedule add`'}\n`);
      return 0;
    }),
});

async function describe(store: Store, { schedule, next }: ScheduleStatus): Promise<string[]> {
  const { name, cron, timeZone, isPaused } = schedule;
  const [[last], deliveries] = await Promise.all([store.schedules.runs(name), store.schedules.deliveries(name)]);
  const coming = isPaused ? 'paused' : next ? showTime(next, timeZone) : 'none: see `schedule resume`';
  const before = last ? showTime(new Date(last.id), timeZone) : '-';
  return [name, cron, coming, before, last ? describeRun(last, deliveries) : '-'];
}
