/** The types of system.mjs, for tests. */
export class Missing extends Error {}
export function findProgram(...names: string[]): string | undefined;
export function mayInstall(): boolean;
export function installPackage(name: string): void;
