/** `elsewise schedule pause|resume|run|remove NAME`. */
import { Schedules } from '../../../jobs/schedules/schedule.js';
import { logAction, REASON_OPTION } from '../../acting/logged-action.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { describeNext } from '../../words/schedule.js';
import { workerHint } from '../../words/worker-hint.js';

export const pause = defineCommand({
  usage: 'schedule pause NAME [--reason TEXT] [--redis URL]',
  about: 'Stops runs until `schedule resume`. A run that has begun continues. `schedule run` still works.',
  options: { ...REASON_OPTION, ...STORE_OPTIONS },
  positionals: ['NAME'],
  examples: [{ does: 'not tonight', command: 'schedule pause nightly' }],
  run: ({ options, positionals: [name] }) =>
    useStore(options, async (store) => {
      await logAction(store, {
        ...{ action: 'pause-schedule', target: name, reason: options.reason },
        work: () => new Schedules(store).pause(name),
        tell: () => 'paused',
      });
      process.stdout.write(`${name}: paused\n`);
      return 0;
    }),
});

export const resume = defineCommand({
  usage: 'schedule resume NAME [--reason TEXT] [--redis URL]',
  about: 'Continues a paused schedule at its next time. Times that passed meanwhile are not made up for.',
  options: { ...REASON_OPTION, ...STORE_OPTIONS },
  positionals: ['NAME'],
  examples: [{ does: 'continue with the next time', command: 'schedule resume nightly' }],
  run: ({ options, positionals: [name] }) =>
    useStore(options, async (store) => {
      const times = await logAction(store, {
        ...{ action: 'resume-schedule', target: name, reason: options.reason },
        work: () => new Schedules(store).resume(name),
        tell: ([next]) => `next run ${next.toISOString()}`,
      });
      const { timeZone } = await store.schedules.read(name);
      process.stdout.write(`${name}: ${describeNext(times, timeZone)}\n`);
      return 0;
    }),
});

export const run = defineCommand({
  usage: 'schedule run NAME [--again] [--reason TEXT] [--redis URL]',
  about: `Runs a schedule now, also a paused one. A worker begins at once. Without a worker for the queues of schedules and
batches the command says how to start one. The last line is the time that names the run in \`schedule show\`.`,
  options: { again: { kind: 'flag', help: 'also files that are known already' }, ...REASON_OPTION, ...STORE_OPTIONS },
  positionals: ['NAME'],
  examples: [
    { does: 'a file came late', command: 'schedule run nightly' },
    { does: 'the model was wrong: all files once more', command: 'schedule run nightly --again' },
  ],
  run: ({ options, positionals: [name] }) =>
    useStore(options, async (store) => {
      const time = await logAction(store, {
        ...{ action: 'run-schedule', target: name, reason: options.reason },
        work: () => new Schedules(store).run(name, { again: options.again }),
        tell: (run) => `run ${run}`,
      });
      const hint = await workerHint(store, 'schedule', 'bulk');
      if (hint) process.stderr.write(`elsewise: the run waits, ${hint}\n`);
      process.stdout.write(`${time}\n`);
      return 0;
    }),
});

export const remove = defineCommand({
  usage: 'schedule remove NAME [--reason TEXT] [--redis URL]',
  about: 'Removes a schedule with its records of files and runs. Its batches stay.',
  options: { ...REASON_OPTION, ...STORE_OPTIONS },
  positionals: ['NAME'],
  examples: [{ does: 'remove a schedule', command: 'schedule remove nightly' }],
  run: ({ options, positionals: [name] }) =>
    useStore(options, async (store) => {
      await logAction(store, {
        ...{ action: 'remove-schedule', target: name, reason: options.reason },
        work: () => new Schedules(store).remove(name),
        tell: () => 'removed',
      });
      process.stdout.write(`${name}: removed\n`);
      return 0;
    }),
});
