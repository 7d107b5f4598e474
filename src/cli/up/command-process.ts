/** A process of `elsewise up` that runs one of our commands as if typed, but ends with its parent. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await import('../main.js');
