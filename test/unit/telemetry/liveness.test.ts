/** Liveness by progress: stuck is who has room and work and does nothing, and nobody else. */
import { describe, expect, it } from 'vitest';
import { Liveness } from '../../../src/telemetry/liveness.js';

function watched() {
  let now = 0;
  const liveness = new Liveness(() => now);
  /** Looks around every 5 s for a while. */
  const pass = (seconds: number, situation: { waiting: number; hasRoom: boolean }) => {
    for (let i = 0; i < seconds; i += 5) {
      liveness.observe('bulk', situation);
      now += 5_000;
    }
  };
  return { liveness, pass };
}

describe('a worker', () => {
  it('is alive while nothing waits, however long', () => {
    const { liveness, pass } = watched();
    pass(3600, { waiting: 0, hasRoom: true });
    expect(liveness.verdict().isGood).toBe(true);
  });

  it('is alive while it is busy to its limit, however long', () => {
    const { liveness, pass } = watched();
    pass(3600, { waiting: 1000, hasRoom: false });
    expect(liveness.verdict().isGood).toBe(true);
  });

  it('is not when work waits, it has room, and nothing happens for a minute', () => {
    const { liveness, pass } = watched();
    pass(55, { waiting: 1, hasRoom: true });
    expect(liveness.verdict().isGood).toBe(true);
    pass(10, { waiting: 1, hasRoom: true });
    expect(liveness.verdict()).toEqual({ isGood: false, reason: 'jobs wait in bulk and none was taken for 65 s' });
  });

  it('is again as soon as a job is taken', () => {
    const { liveness, pass } = watched();
    pass(100, { waiting: 1, hasRoom: true });
    liveness.progress('bulk');
    expect(liveness.verdict().isGood).toBe(true);
    pass(50, { waiting: 1, hasRoom: true });
    expect(liveness.verdict().isGood).toBe(true);
  });

  it('is not because another queue is served', () => {
    const { liveness, pass } = watched();
    pass(100, { waiting: 1, hasRoom: true });
    liveness.progress('events');
    expect(liveness.verdict().isGood).toBe(false);
  });
});
