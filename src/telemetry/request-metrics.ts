/**
 * The Prometheus metrics of the API. Requests are counted by route pattern, never by URL: URLs contain ids and would create an unbounded
 * number of labels.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface RequestSources {
  isRedisUp(): boolean;
  /** Requests that wait for an answer. */
  waiting(): number;
}

export interface EndedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];

export class RequestMetrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: 'elsewise_http_requests_total',
    help: 'Requests ended, by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: 'elsewise_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly #open = new Gauge({
    name: 'elsewise_http_requests_open',
    help: 'Requests that have not ended',
    registers: [this.registry],
  });
  readonly #uploaded = new Counter({
    name: 'elsewise_http_uploaded_rows_total',
    help: 'Rows of batches that were uploaded whole',
    registers: [this.registry],
  });

  constructor(sources: RequestSources) {
    collectDefaultMetrics({ register: this.registry });
    this.#gauge('redis_up', 'Whether Redis is connected', () => (sources.isRedisUp() ? 1 : 0));
    this.#gauge('http_requests_waiting', 'Requests that wait for an answer', () => sources.waiting());
  }

  begin(): void {
    this.#open.inc();
  }

  end({ method, route, status, seconds }: EndedRequest): void {
    this.#open.dec();
    this.#requests.inc({ method, route, status: String(status) });
    this.#seconds.observe({ method, route }, seconds);
  }

  countUploadedRows(rows: number): void {
    this.#uploaded.inc(rows);
  }

  #gauge(name: string, help: string, read: () => number): void {
    const collect = function (this: Gauge) {
      this.set(read());
    };
    new Gauge({ name: `elsewise_${name}`, help, collect, registers: [this.registry] });
  }
}
