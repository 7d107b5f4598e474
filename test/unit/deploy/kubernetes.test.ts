/** The manifests fit Kubernetes' types, the product, and each other. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configEntries, readConfig, readDefaults } from '../../../src/config.js';
import { checkCommandLine } from './commands.js';
import { hasType, typeFaults, validate } from './manifest-types.js';
import { BASE, EXAMPLE, find, type Manifest, manifestsOf, raw, readText, readYaml } from './manifests.js';

const base = manifestsOf(BASE);
const example = manifestsOf(EXAMPLE);
const everything = [...base, ...example, ...raw(EXAMPLE)];
const deployments = base.filter(({ kind }) => kind === 'Deployment');
const pod = (deployment: Manifest) => deployment.spec.template.spec;
const container = (deployment: Manifest) => pod(deployment).containers[0];
const each = deployments.map((deployment): [string, Manifest] => [deployment.metadata.name, deployment]);

const variables = configEntries().flatMap(({ variables, fileVariables }) => [...variables, ...fileVariables]);

describe('manifests', () => {
  it('are all there', () => {
    const names = raw(EXAMPLE).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.sort()).toEqual([
      'Deployment elsewise-api',
      'Deployment elsewise-worker',
      'HorizontalPodAutoscaler elsewise-api',
      'Namespace elsewise',
      'NetworkPolicy elsewise-api',
      'NetworkPolicy elsewise-worker',
      'PodDisruptionBudget elsewise-api',
      'PodDisruptionBudget elsewise-worker',
      'PodMonitor elsewise-api',
      'PodMonitor elsewise-worker',
      'PrometheusRule elsewise',
      'ScaledObject elsewise-worker',
      'Service elsewise-api',
      'ServiceAccount elsewise',
    ]);
  });

  it('fit the types of Kubernetes, key by key', async () => {
    const typed = everything.filter(hasType);
    expect(typeFaults(typed)).toEqual([]);
    // kustomize folds long base64 into lines, which Kubernetes reads and this validation does not
    for (const manifest of typed.filter(({ kind }) => kind !== 'Secret')) await validate(manifest);
  });

  it('would be refused with a misspelt key or a wrong type', () => {
    const worker = find(base, 'Deployment', 'elsewise-worker');
    const misspelt = structuredClone(worker);
    container(misspelt).readynessProbe = {};
    expect(typeFaults([misspelt]).join()).toContain('readynessProbe');
    const wrong = structuredClone(worker);
    wrong.spec.replicas = 'two';
    expect(typeFaults([wrong])).toHaveLength(1);
  });

  it('of operators have the keys that are known of them', () => {
    const others = everything.filter((manifest) => !hasType(manifest));
    for (const manifest of others) OPERATORS[manifest.kind].parse(manifest.spec);
    expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(Object.keys(OPERATORS)));
  });

  it('carry no tag that moves', () => {
    const images = [...base, ...example].filter(({ kind }) => kind === 'Deployment').map((one) => container(one).image);
    const { version } = JSON.parse(readText('package.json'));
    const { images: retagged } = readYaml(`${BASE}/kustomization.yaml`);
    expect(retagged).toEqual([{ name: 'elsewise', newTag: version }]);
    for (const image of images) expect(image).toMatch(/^(registry\.example\.com\/)?elsewise(:\d+\.\d+\.\d+)?$/);
  });
});

const selector = z.strictObject({ matchLabels: z.record(z.string(), z.string()) });

/** The parts of operators' kinds that we use. */
const OPERATORS: Readonly<Record<string, z.ZodType>> = {
  ScaledObject: z.strictObject({
    scaleTargetRef: z.strictObject({ name: z.literal('elsewise-worker') }),
    minReplicaCount: z.int().min(1),
    maxReplicaCount: z.int(),
    pollingInterval: z.int(),
    cooldownPeriod: z.int(),
    fallback: z.strictObject({ failureThreshold: z.int(), replicas: z.int() }),
    advanced: z.strictObject({
      horizontalPodAutoscalerConfig: z.strictObject({
        behavior: z.strictObject({ scaleDown: z.strictObject({ stabilizationWindowSeconds: z.int() }) }),
      }),
    }),
    triggers: z.array(
      z.strictObject({
        type: z.literal('prometheus'),
        metadata: z.strictObject({
          serverAddress: z.url(),
          query: z.string(),
          threshold: z.string().regex(/^\d+$/),
        }),
      }),
    ),
  }),
  PodMonitor: z.strictObject({
    selector,
    podMetricsEndpoints: z.array(
      z.strictObject({
        port: z.string(),
        path: z.literal('/metrics'),
        interval: z.string().regex(/^\d+s$/),
        relabelings: z.array(z.strictObject({ targetLabel: z.literal('job'), replacement: z.string() })),
      }),
    ),
  }),
  PrometheusRule: z.strictObject({ groups: z.array(z.unknown()) }),
};

describe.each(each)('%s', (name, deployment) => {
  const { env, ports, args, securityContext, resources } = container(deployment);

  it('runs a command that there is', async () => {
    await checkCommandLine(args);
  });

  it('sets variables that the configuration knows', () => {
    const names: string[] = env.map((one: { name: string }) => one.name);
    expect(names.filter((one) => ![...variables, 'ELSEWISE_CONFIG'].includes(one))).toEqual([]);
    expect(pod(deployment).enableServiceLinks).toBe(false);
  });

  it('reads files where they are mounted', () => {
    const mounts: string[] = container(deployment).volumeMounts.map((mount: { mountPath: string }) => mount.mountPath);
    const files = env.filter((one: { value?: string }) => one.value?.startsWith('/'));
    expect(files).toHaveLength(2);
    for (const { value } of files) expect(mounts).toContain(value.slice(0, value.lastIndexOf('/')));
  });

  it('listens where the configuration says and is asked there', () => {
    const settings = readDefaults();
    const expected = { 'elsewise-worker': settings.worker.port, 'elsewise-api': settings.api.port };
    expect(ports[0].containerPort).toBe(expected[name as keyof typeof expected]);
    for (const [probe, path] of Object.entries({ startup: '/healthz', liveness: '/healthz', readiness: '/readyz' })) {
      expect(container(deployment)[`${probe}Probe`].httpGet).toEqual({ path, port: ports[0].name });
    }
  });

  it('has no rights that it does not need', () => {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const { securityContext: ofPod, automountServiceAccountToken } = pod(deployment);
    expect(ofPod).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } });
    expect(automountServiceAccountToken).toBe(false);
    expect(resources.requests.memory && resources.limits.memory).toBeTruthy();
  });

  it('is what its budget, monitor and network policy select', () => {
    const { labels } = deployment.spec.template.metadata;
    const selectors = raw(EXAMPLE)
      .filter(({ kind, metadata }) => metadata.name === name && /Budget|Monitor|Policy|Service/.test(kind))
      .map(({ kind, spec }) => (kind === 'Service' ? spec.selector : (spec.selector ?? spec.podSelector).matchLabels));
    expect(selectors.length).toBeGreaterThanOrEqual(3);
    for (const one of selectors) expect(labels).toMatchObject(one);
    const [rule] = find(base, 'NetworkPolicy', name).spec.ingress;
    expect(rule.ports[0].port).toBe(ports[0].containerPort);
  });
});

describe('configuration', () => {
  it.each([BASE, EXAMPLE])('of %s is accepted and lets the API be reached', (folder) => {
    const config = readConfig({}, { ELSEWISE_CONFIG: `${folder}/config.json` });
    expect(config.api.host).toBe('0.0.0.0');
    expect(config.api.metricsWithoutToken).toBe(true);
  });

  it('leaves the API time to drain', () => {
    const { api } = readConfig({}, { ELSEWISE_CONFIG: `${BASE}/config.json` });
    const seconds = pod(find(base, 'Deployment', 'elsewise-api')).terminationGracePeriodSeconds;
    expect(seconds * 1000).toBeGreaterThan(api.unreadyMs + api.drainMs);
  });

  it('of the example holds Secrets that the product accepts', () => {
    const { secretGenerator } = readYaml(`${EXAMPLE}/kustomization.yaml`);
    const literals: string[] = secretGenerator.flatMap((one: { literals: string[] }) => one.literals);
    const [url, tokens] = literals.map((text) => text.slice(text.indexOf('=') + 1));
    const environment = { REDIS_URL: url, ELSEWISE_API_TOKENS: tokens };
    expect(readConfig({}, environment).api.tokens).toHaveLength(1);
    const names = secretGenerator.map((one: { name: string }) => one.name);
    const text = JSON.stringify(raw(BASE));
    for (const name of names) expect(text).toContain(`"${name}"`);
  });
});
