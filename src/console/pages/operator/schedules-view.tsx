/** The schedules: next time, the last runs as marks, and what can be done. */
import { formatNumber } from '../../../report/numbers.js';
import { Outcome } from '../../parts/notice.js';
import { ActButton, useActing } from './acting.js';
import type { ScheduleLine, ScheduleRunLine } from './documents.js';
import { Badge, Stale } from './parts.js';
import { usePolled } from './polling.js';
import { clockTime, spanInWords } from './times.js';

export function SchedulesView() {
  const { turn } = useActing();
  const { loaded, trouble } = usePolled<{ schedules: readonly ScheduleLine[] }>('/v1/schedules', [turn]);
  return (
    <>
      <Stale trouble={trouble} />
      <Outcome of={loaded}>
        {({ schedules }) =>
          schedules.length === 0 ? (
            <p class="card">No schedule is stored. The command elsewise schedule add makes one.</p>
          ) : (
            <ul class="groups">
              {schedules.map((schedule) => (
                <ScheduleCard key={schedule.name} schedule={schedule} />
              ))}
            </ul>
          )
        }
      </Outcome>
    </>
  );
}

function ScheduleCard({ schedule }: { schedule: ScheduleLine }) {
  const { name, cron, timeZone, model, policy, input, isPaused, next, runs } = schedule;
  return (
    <li class="card">
      <h2>
        {name} {isPaused && <Badge>paused</Badge>}
      </h2>
      <p class="next">{next ? `next in ${spanInWords(Date.parse(next) - Date.now())}` : 'no next run'}</p>
      <p class="quiet">
        <code>{cron}</code> {timeZone}
        {next && ` · ${clockTime(next)}`}
      </p>
      <p class="quiet">
        {model}
        {policy && ` · ${policy}`} · <code>{input}</code>
      </p>
      <Runs runs={runs} />
      <div class="buttons">
        <ActButton
          asked={{
            question: `Run the schedule “${name}” now?`,
            effect: 'New files of its input become batches.',
            verb: 'Run now',
            body: { action: 'run-schedule', schedule: name },
          }}
        >
          Run now
        </ActButton>
        <PauseSchedule name={name} isPaused={isPaused} />
      </div>
    </li>
  );
}

function PauseSchedule({ name, isPaused }: { name: string; isPaused: boolean }) {
  const verb = isPaused ? 'Resume' : 'Pause';
  const effect = isPaused
    ? 'The schedule continues at its next time. Missed times are not made up for.'
    : 'No run begins by itself until you resume the schedule.';
  const action = isPaused ? 'resume-schedule' : 'pause-schedule';
  return (
    <ActButton asked={{ question: `${verb} the schedule “${name}”?`, effect, verb, body: { action, schedule: name } }}>
      {verb}
    </ActButton>
  );
}

function Runs({ runs }: { runs: readonly ScheduleRunLine[] }) {
  if (runs.length === 0) return <p class="quiet">No run yet.</p>;
  return (
    <ul class="runs" aria-label="Last runs">
      {runs.map(({ id, outcome, kind, rows, failure }) => (
        <li key={id}>
          <Badge>{outcome}</Badge> <time dateTime={id}>{clockTime(id)}</time>
          <span class={failure ? 'quiet whole' : 'quiet'}>
            {kind === 'manual' ? 'by hand, ' : ''}
            {failure ? failure.message : `${formatNumber(rows)} rows`}
          </span>
        </li>
      ))}
    </ul>
  );
}
