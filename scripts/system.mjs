/**
 * What the test command needs from the machine: programs on the PATH, and Debian packages where it may install them.
 * A `Missing` error is for the reader, not the debugger: its message is one line that says what to do.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export class Missing extends Error {}

/** The full path of the first of `names` that the PATH has, by order of names. */
export function findProgram(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Only root on a Debian-like system: nobody's machine is changed by way of sudo. */
export function mayInstall() {
  return process.getuid?.() === 0 && findProgram('apt-get') !== undefined;
}

export function installPackage(name) {
  console.log(`installing Debian's ${name} (apt-get update, apt-get install)`);
  apt('update', '-qq');
  apt('install', '-qq', '-y', '--no-install-recommends', name);
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr, error } = spawnSync('apt-get', args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return;
  const reason = (error?.message ?? stderr).trim().split('\n').at(-1);
  throw new Missing(`apt-get ${args.join(' ')} failed: ${reason}`);
}
