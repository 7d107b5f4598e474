/**
 * The manifests as a cluster would get them: rendered by `kubectl kustomize`, which needs no cluster, where there is a kubectl;
 * else read from the files that the kustomizations name, before generators and patches.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { findProgram } from '../../../scripts/system.mjs';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const BASE = 'deploy/kubernetes/base';
export const EXAMPLE = 'deploy/kubernetes/overlays/example';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: a manifest is checked by its types elsewhere, here it is looked into
  readonly [key: string]: any;
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const readYaml = (path: string) => parse(readText(path), { merge: true });

export const kubectl: string | undefined = findProgram('kubectl');

export function manifestsOf(folder: string): Manifest[] {
  return kubectl
    ? parseAll(execFileSync(kubectl, ['kustomize', join(ROOT, folder)], { encoding: 'utf8' }))
    : raw(folder);
}

/** What the files say, without what kustomize makes of it. */
export function raw(folder: string): Manifest[] {
  const { resources = [], components = [] } = readYaml(join(folder, 'kustomization.yaml'));
  return [...resources, ...components].flatMap((name: string) => {
    const path = join(folder, name);
    return statSync(join(ROOT, path)).isDirectory() ? raw(path) : parseAll(readText(path));
  });
}

function parseAll(text: string): Manifest[] {
  const documents = parseAllDocuments(text);
  const faults = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  if (faults.length > 0) throw faults[0];
  return documents.map((document) => document.toJS());
}

export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!found) throw new Error(`no ${kind} called ${name}`);
  return found;
}
