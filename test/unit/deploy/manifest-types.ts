/**
 * Manifests against the types of Kubernetes. kubernetes-models' own validation lets misspelt keys pass; the TypeScript compiler
 * does not, when a manifest is written as a literal of its type: so that is what is done here.
 */
import { join } from 'node:path';
import ts from 'typescript';
import { type Manifest, ROOT } from './manifests.js';

/** Where the type of a kind is; kinds of operators have none there. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
};

export const hasType = ({ apiVersion }: Manifest): boolean => Object.hasOwn(MODULES, apiVersion);

export async function validate(manifest: Manifest): Promise<void> {
  const module = await import(MODULES[manifest.apiVersion]);
  new module[manifest.kind](manifest).validate();
}

/** Sentences of the compiler about keys and types that do not fit. */
export function typeFaults(manifests: readonly Manifest[]): string[] {
  const file = join(ROOT, 'test', 'unit', 'deploy', 'manifests-as-literals.ts');
  const text = manifests.map(literal).join('\n');
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

function literal(manifest: Manifest, i: number): string {
  const type = `import('${MODULES[manifest.apiVersion]}').I${manifest.kind}`;
  return `export const manifest${i}: ${type} = ${JSON.stringify(manifest)};`;
}
