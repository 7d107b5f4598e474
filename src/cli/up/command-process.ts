/** A process of `elsewise up` that runs one of our commands as if typed, but ends with its parent. */
import { COMMAND_LINE } from '../../places.js';

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await import(COMMAND_LINE.href);
