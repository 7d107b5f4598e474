/** Alerts, dashboard and scaling ask for what the product really tells: metrics, labels, queues, states. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Histogram } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../../scripts/system.mjs';
import { readDefaults } from '../../../src/config.js';
import { QUEUES, SCHEDULE_QUEUE } from '../../../src/jobs/contract.js';
import { Metrics } from '../../../src/telemetry/metrics.js';
import { ScorerMetrics } from '../../../src/telemetry/scorer-metrics.js';
import { EXAMPLE, find, manifestsOf, ROOT, raw, readText, readYaml } from './manifests.js';
import { parseQuery } from './promql.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

const rules: { groups: { name: string; rules: Rule[] }[] } = readYaml('deploy/prometheus/rules.yml');
const alerts = rules.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readText('deploy/grafana/dashboards/elsewise.json')) as { panels: Panel[] };
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const scrape = readYaml('deploy/prometheus/prometheus.yml');
const jobs: string[] = scrape.scrape_configs.map((entry: { job_name: string }) => entry.job_name);
const scaling = find(manifestsOf(EXAMPLE), 'ScaledObject', 'elsewise-worker');

const queries: [where: string, query: string][] = [
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
  ...scaling.spec.triggers.map((trigger: { metadata: { query: string } }) => ['scaling', trigger.metadata.query]),
];

/** Every series that a worker serves, with its labels. */
async function exported(): Promise<Map<string, readonly string[]>> {
  const { registry } = new Metrics({
    depths: async () => [],
    pools: () => [],
    cachedPlans: () => ({ plans: 0, bytes: 0, hits: 0, misses: 0, evictions: 0 }),
    deadLetters: async () => 0,
    isRedisUp: () => true,
    memory: async () => undefined,
  });
  new ScorerMetrics(registry);
  const series = new Map<string, readonly string[]>([['up', []]]);
  for (const metric of registry.getMetricsAsArray()) {
    const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: string[] };
    series.set(name, labelNames);
    const isHistogram = registry.getSingleMetric(name) instanceof Histogram;
    if (isHistogram)
      for (const part of ['bucket', 'sum', 'count']) series.set(`${name}_${part}`, [...labelNames, 'le']);
  }
  return series;
}

const series = await exported();
/** Prometheus adds these to whatever it scrapes. */
const ADDED = ['job', 'instance'];

/** What may stand in a label, where that is known. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  queue: [...Object.values(QUEUES), SCHEDULE_QUEUE],
  state: ['waiting', 'prioritized', 'delayed', 'active', 'failed'],
  outcome: ['completed', 'known', 'retried', 'failed', 'hit', 'miss'],
  job: jobs,
  kind: ['refused', 'timeout', 'connection', 'status', 'too-long', 'not-json', 'shape', 'version', 'number'],
};

describe('every query', () => {
  it.each(queries)('of %s parses and names what there is: %s', (_where, text) => {
    const { metrics, labels, matches } = parseQuery(text);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !series.has(name))).toEqual([]);
    const known = [...ADDED, ...metrics.flatMap((name) => series.get(name)!)];
    expect(labels.filter((label) => !known.includes(label))).toEqual([]);
    for (const [label, pattern] of matches) {
      expect(pattern.split('|').filter((value) => !VALUES[label].includes(value))).toEqual([]);
    }
  });

  it('would be refused with a name or a form that is not there', () => {
    expect(parseQuery('rate(elsewise_no_such_total[5m])').metrics.every((name) => series.has(name))).toBe(false);
    expect(() => parseQuery('sum by (queue (elsewise_jobs_total)')).toThrow('not PromQL');
  });
});

describe('alerts', () => {
  it('say how bad it is, what it is and what to do', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { labels, annotations } of alerts) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
      expect(annotations.description).not.toBe('');
    }
  });

  it('quote only labels that are left of the query', () => {
    for (const { expr, annotations } of alerts) {
      const quoted = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const { labels } = parseQuery(expr);
      const isAggregated = /\b(sum|max)\b/.test(expr);
      for (const label of quoted) expect(isAggregated ? labels : [...labels, ...ADDED], expr).toContain(label);
    }
  });

  it('are the same for the operator', () => {
    const operator = find(raw(EXAMPLE), 'PrometheusRule', 'elsewise');
    expect(operator.spec).toEqual(rules);
  });

  it('pass promtool where it is installed, and have its form anyhow', () => {
    const promtool = findProgram('promtool');
    const folder = join(ROOT, 'deploy/prometheus');
    if (promtool) {
      execFileSync(promtool, ['check', 'rules', 'rules.yml'], { cwd: folder });
      execFileSync(promtool, ['test', 'rules', 'rules.test.yml'], { cwd: folder });
    }
    const told: string[] = readYaml('deploy/prometheus/rules.test.yml').tests.flatMap(
      (test: { alert_rule_test: { alertname: string }[] }) => test.alert_rule_test.map(({ alertname }) => alertname),
    );
    expect(told.filter((name) => !alerts.some(({ alert }) => alert === name))).toEqual([]);
    const keys = new Set(alerts.flatMap((rule) => Object.keys(rule)));
    expect([...keys].sort()).toEqual(['alert', 'annotations', 'expr', 'for', 'labels']);
    for (const rule of alerts as (Rule & { for?: string })[]) expect(rule.for ?? '1m').toMatch(/^\d+[smh]$/);
  });
});

describe('dashboard', () => {
  it('explains its panels and reads the provisioned source', () => {
    const { datasources } = readYaml('deploy/grafana/provisioning/datasources/prometheus.yml');
    for (const { description, datasource, targets = [] } of panels) {
      expect(description).toBeTruthy();
      expect(datasource?.uid).toBe(datasources[0].uid);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  });

  it('has panels that do not overlap', () => {
    const taken = new Set<string>();
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`)).toBe(false);
          taken.add(`${x},${y}`);
        }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it('lies where Grafana looks for it', () => {
    const { providers } = readYaml('deploy/grafana/provisioning/dashboards/elsewise.yml');
    const { volumes } = readYaml('docker-compose.yml').services.grafana;
    expect(volumes).toContain(`./deploy/grafana/dashboards:${providers[0].options.path}:ro`);
    expect(readdirSync(join(ROOT, 'deploy/grafana/dashboards'))).toEqual(['elsewise.json']);
  });
});

describe('scraping', () => {
  it('asks the services of the compose file on the ports of the configuration', () => {
    const { worker, api } = readDefaults();
    const targets = scrape.scrape_configs.map(
      ({ dns_sd_configs: [{ names, port }] }: { dns_sd_configs: { names: string[]; port: number }[] }) => [
        ...names,
        port,
      ],
    );
    expect(targets).toEqual([
      ['worker', worker.port],
      ['api', api.port],
    ]);
  });

  it('names its jobs as the operator does', () => {
    const monitors = raw(EXAMPLE).filter(({ kind }) => kind === 'PodMonitor');
    const names = monitors.map(({ spec }) => spec.podMetricsEndpoints[0].relabelings[0].replacement);
    expect(names).toEqual(jobs);
  });
});
