/** The package as others get it: packed, unpacked into a project of its own, with the dependencies it declares and no others. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a TypeScript project has besides. */
const TOOLS = ['@types/node', 'undici-types'];

/** A folder with the files of an example, where `elsewise` is installed. */
export function installInto(example: string): string {
  const project = mkdtempSync(join(tmpdir(), 'elsewise-packed-'));
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  const archive = pack(project);
  execFileSync('tar', ['-xzf', archive, '-C', modules]);
  renameSync(join(modules, 'package'), join(modules, 'elsewise'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), ...TOOLS]) link(name, modules);
  cpSync(join(ROOT, 'examples', example), project, { recursive: true });
  return project;
}

export function compile(project: string): void {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', project], { stdio: ['ignore', 'inherit', 'inherit'] });
}

function pack(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }));
  return join(folder, filename);
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
}
