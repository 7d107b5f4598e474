/**
 * The Prometheus metrics of scorers, by `host:port`; `onnx` means all ONNX files. The settings list the hosts, so a model document cannot
 * create new series.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { AttemptReport } from '../scoring/attempt-report.js';
import type { ClientWatcher } from '../scoring/transport/scorer-client.js';

const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];
const POINTS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000];
const labelNames = ['scorer'];

export class ScorerMetrics implements ClientWatcher {
  readonly #requests: Counter;
  readonly #failures: Counter;
  readonly #seconds: Histogram;
  readonly #points: Histogram;
  readonly #breaker: Gauge;

  constructor(registry: Registry) {
    const named = (name: string, help: string) => ({ name: `elsewise_scorer_${name}`, help, registers: [registry] });
    this.#requests = new Counter({ ...named('requests_total', 'Requests to scorers, each attempt'), labelNames });
    this.#failures = new Counter({
      ...named('failures_total', 'Requests that failed, by kind'),
      labelNames: ['scorer', 'kind'],
    });
    this.#seconds = new Histogram({ ...named('request_seconds', 'Time of a request'), labelNames, buckets: SECONDS });
    this.#points = new Histogram({ ...named('batch_points', 'Inputs in a request'), labelNames, buckets: POINTS });
    this.#breaker = new Gauge({ ...named('breaker_open', 'Whether the circuit breaker is open'), labelNames });
  }

  onAttempt({ host: scorer, seconds, points, outcome }: AttemptReport): void {
    this.#requests.inc({ scorer });
    this.#seconds.observe({ scorer }, seconds);
    if (points > 0) this.#points.observe({ scorer }, points);
    if (outcome !== 'ok') this.#failures.inc({ scorer, kind: outcome });
    else this.#breaker.set({ scorer }, 0);
  }

  onBreaker(scorer: string, isOpen: boolean): void {
    this.#breaker.set({ scorer }, isOpen ? 1 : 0);
  }
}
