/** The name of a command's user, for records of who did what. */
import { hostname, userInfo } from 'node:os';

/** User and machine of this process. A container may run as a user without a name. */
export function thisUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`;
  }
}
