/** Texts about times and runs for the schedule commands. */
import { showTime } from '../../jobs/schedules/cron.js';
import { formatCount } from '../../report/numbers.js';
import type { Delivery, ScheduleRun } from '../../store/schedules/schedule-document.js';

export function describeNext(times: readonly Date[], timeZone: string): string {
  return `next: ${times.map((time) => showTime(time, timeZone)).join(', ')}`;
}

/** One line: `2 files, 6,000 rows`, or the first fault. */
export function describeRun(run: ScheduleRun, deliveries: ReadonlyMap<string, Delivery>): string {
  if (run.outcome === 'running') return 'running';
  const fault = run.failure ?? firstFault(run, deliveries);
  if (fault) return `failed: ${fault.message.split('\n', 1)[0]}`;
  if (run.outcome === 'nothing-new')
    return run.known > 0 ? `nothing new (${formatCount(run.known, 'file')} known)` : 'no files';
  const rows = run.files.reduce((sum, file) => sum + (file.rows ?? 0), 0);
  return `${formatCount(run.files.length, 'file')}, ${formatCount(rows, 'row')}`;
}

function firstFault(
  { files }: ScheduleRun,
  deliveries: ReadonlyMap<string, Delivery>,
): { message: string } | undefined {
  return files
    .map(({ failure, batch }) => failure ?? (batch === undefined ? undefined : deliveries.get(batch)?.failure))
    .find((fault) => fault !== undefined);
}
