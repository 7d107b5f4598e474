/** The folder that a Python script of this directory fills for the tests of a file, with models of a real library. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';

/** `debianPackage`: what a machine without the library lacks. */
export function fittedBy(script: string, debianPackage: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'elsewise-interop-'));
  beforeAll(() => runScript(script, [folder], debianPackage));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a script of this directory with the Python that has the library. */
export function runScript(script: string, args: readonly string[], debianPackage: string): void {
  const python = process.env.PYTHON ?? '/usr/bin/python3';
  const path = fileURLToPath(new URL(script, import.meta.url));
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const { status, stderr, error } = spawnSync(python, [path, ...args], { env, encoding: 'utf8' });
  if (error) throw new Error(`${python} does not start (${error.message}): apt-get install ${debianPackage}`);
  if (status !== 0) throw new Error(stderr);
}
