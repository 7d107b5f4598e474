/** Workers, producers, consumers and threads that die, wait or come twice. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../integration/queue-world.js';
import { ROUNDS, SEED, Trial } from './trial.js';

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

console.log(`chaos: seed ${SEED} (CHAOS_SEED=${SEED} replays it)`);

describe.each(rounds)('round %i', (round) => {
  it('a worker that is killed in the middle of a batch', async () => {
    const trial = await Trial.begin('kill -9', round);
    const [victim, ...others] = await trial.startWorkers(2);
    const id = await trial.enqueue('killed');
    await trial.midway(id);
    const { redis, settings } = trial.world.store;
    const active = `${settings.queuePrefix}:elsewise-bulk:active`;
    let orphans: string[] = [];
    await trial.strike(async () => {
      victim.process.kill('SIGKILL');
      await victim.ended;
      orphans = await redis.lrange(active, 0, -1);
    });
    const since = performance.now();
    const left = async () => new Set(await redis.lrange(active, 0, -1));
    // Those of the living one pass in a moment; the dead one's stay until they are taken for stalled.
    const isTaken = async () => {
      const active = await left();
      return !orphans.some((job) => active.has(job));
    };
    await until('the chunks of the dead worker to be taken back', isTaken);
    trial.say(`the dead worker's chunks were taken back after ${((performance.now() - since) / 1000).toFixed(1)} s`);
    await trial.conclude(id);
    await trial.end(others);
  });

  it('every worker killed, and new ones started', async () => {
    const trial = await Trial.begin('kill all', round);
    const victims = await trial.startWorkers(2);
    const id = await trial.enqueue('all-killed');
    await trial.midway(id);
    await trial.strike(() => {
      for (const worker of victims) worker.process.kill('SIGKILL');
    });
    const workers = await trial.startWorkers(2);
    await trial.recovery(id);
    await trial.conclude(id);
    await trial.end(workers);
  });

  it('SIGTERM during a batch', async () => {
    const trial = await Trial.begin('SIGTERM', round);
    const [leaving, staying] = await trial.startWorkers(2);
    const id = await trial.enqueue('drained');
    await trial.midway(id);
    await trial.strike(() => leaving.process.kill('SIGTERM'));
    expect((await leaving.ended).code).toBe(0);
    await trial.recovery(id);
    await trial.conclude(id);
    await trial.end([staying]);
  });

  it('producers that enqueue the same batch at once, one of them killed on the way', async () => {
    const trial = await Trial.begin('several producers', round);
    const workers = await trial.startWorkers(1);
    const doomed = trial.world.spawn(...trial.enqueueCommand('twice'));
    const others = [1, 2].map(() => trial.world.run(...trial.enqueueCommand('twice')));
    await sleep(trial.dice.integer(400, 1500));
    doomed.child.kill('SIGKILL');
    expect((await Promise.all(others)).map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, 'twice\n'],
      [0, 'twice\n'],
    ]);
    await trial.conclude('twice');
    await trial.end(workers);
  });

  it('a slow consumer: results wait for it, and workers do not', async () => {
    const trial = await Trial.begin('slow consumer', round);
    const workers = await trial.startWorkers(1);
    const id = await trial.enqueue('slow');
    const output = trial.world.path('slow.ndjson');
    const reader = trial.world.spawn('batch', 'wait', id, '--output', output);
    for (let pause = 0; pause < 3; pause++) {
      await sleep(trial.dice.integer(50, 400));
      reader.child.kill('SIGSTOP');
      await sleep(trial.dice.integer(300, 1500));
      reader.child.kill('SIGCONT');
    }
    expect((await reader.ended).code).toBe(0);
    trial.compare(readFileSync(output, 'utf8'));
    await trial.conclude(id);
    await trial.end(workers);
  });
});
