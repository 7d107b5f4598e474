/** `elsewise schedule add NAME`: all checks run now, so no fault is left for the first run. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ElsewiseError } from '../../../documents/error.js';
import { parseDocument } from '../../../documents/parse.js';
import { createPlan } from '../../../explain/plan.js';
import type { ResultDetail } from '../../../explain/result.js';
import { nextTimes } from '../../../jobs/schedules/cron.js';
import { checkOutput } from '../../../jobs/schedules/delivery-path.js';
import { Schedules } from '../../../jobs/schedules/schedule.js';
import { resolvePolicy } from '../../../jobs/worker/policy-source.js';
import { loadPolicy } from '../../../policy/policy.js';
import { type PolicySource, type Schedule, scheduleNameSchema } from '../../../store/schedules/schedule-document.js';
import type { Store } from '../../../store/store.js';
import { defineCommand } from '../../command.js';
import { readPolicyJson } from '../../documents.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { describeNext } from '../../words/schedule.js';

const DEFAULT_TIME_ZONE = 'UTC';

export const add = defineCommand({
  usage: "schedule add NAME --cron '0 2 * * *' --model REF --input 'inbox/*.csv' [OPTIONS]",
  about: `Makes a batch of every file that matches --input, at the times of --cron. One worker runs each time, with any
number of workers. After a time without workers, one run replaces all runs that were missed. Each run uses the version
that the reference of the model names when the run begins. A known file makes a new batch only when its content has
changed.

The files are on the worker's machine: give paths that the worker can read. A relative path starts at your present
folder. Leave \`schedule\` out of \`worker --queues\` where a worker cannot read the files. Move files in when
they are complete. A policy file is read now and kept with the schedule. --replace reads the policy file again.

The * in --output stands for the name of the input and the id of the batch. The ending .ndjson, .jsonl, .csv or .parquet
decides the format of the results.`,
  options: {
    cron: {
      kind: 'text',
      value: 'PATTERN',
      required: true,
      help: 'minute hour day-of-month month day-of-week: 0 2 * * * is 02:00 every day',
    },
    tz: { kind: 'text', value: 'ZONE', help: `the time zone of the pattern: Europe/Zurich (${DEFAULT_TIME_ZONE})` },
    model: { kind: 'text', value: 'REF', required: true, help: 'a model in the registry, resolved at each run' },
    policy: {
      kind: 'text',
      value: 'FILE|REF',
      help: 'a file, or a policy in the registry; without a policy every feature may change',
    },
    input: {
      kind: 'text',
      value: 'PATTERN',
      required: true,
      help: 'CSV, NDJSON or Parquet files; * and ? in names, ** for folders',
    },
    output: {
      kind: 'text',
      value: 'PATH',
      help: "folder for the results as NDJSON, or a name with * and the ending of the format: 'outbox/*.csv'; without an output results stay in Redis",
    },
    detail: {
      kind: 'choice',
      choices: ['full', 'brief'],
      help: 'brief: NDJSON without what the input row has: new values only (full)',
    },
    replace: { kind: 'flag', help: 'change the schedule of that name; known files stay known' },
    ...STORE_OPTIONS,
  },
  positionals: ['NAME'],
  examples: [
    {
      does: 'every night, with the model in production',
      command: `schedule add nightly --cron '0 2 * * *' --tz Europe/Zurich --model credit@production \\
      --policy policy.json --input 'inbox/*.csv' --output outbox/`,
    },
    {
      does: 'every Monday, with results for a spreadsheet',
      command: `schedule add weekly --cron '0 6 * * 1' --model credit --policy retail --input 'inbox/*.csv' \\
      --output 'outbox/*.csv'`,
    },
  ],
  async run({ options, positionals: [name] }) {
    checkDelivery(options.output, options.detail as ResultDetail | undefined);
    const schedule: Schedule = {
      schema: 'elsewise.schedule/v1',
      name: parseDocument(scheduleNameSchema, name, 'NAME'),
      cron: options.cron,
      timeZone: options.tz ?? DEFAULT_TIME_ZONE,
      model: options.model,
      policy: options.policy === undefined ? undefined : await readPolicySource(options.policy),
      input: resolve(options.input),
      output: options.output === undefined ? undefined : resolve(options.output),
      detail: options.detail as ResultDetail | undefined,
      isPaused: false,
      created: new Date().toISOString(),
    };
    nextTimes(schedule, Date.now(), 1);
    return useStore(options, async (store) => {
      await checkPlan(store, schedule);
      const times = await new Schedules(store).add(schedule, { replace: options.replace });
      process.stdout.write(`${name}: ${schedule.input}\n${describeNext(times, schedule.timeZone)}\n`);
      return 0;
    });
  },
});

function checkDelivery(output: string | undefined, detail: ResultDetail = 'full'): void {
  if (output !== undefined) checkOutput(output, detail);
  else if (detail === 'brief') throw new ElsewiseError('usage', '--detail brief needs --output');
}

/** A name without a file is a reference. */
async function readPolicySource(text: string): Promise<PolicySource> {
  const isFile = existsSync(text) || /[/\\]|\.json$/.test(text);
  return isFile ? { document: loadPolicy(await readPolicyJson(text)).document } : { reference: text };
}

/** Checks that model and policy exist and fit. Each run checks again. */
async function checkPlan(store: Store, { model, policy }: Schedule): Promise<void> {
  createPlan(await store.models.load(model), await resolvePolicy(store, policy));
}
