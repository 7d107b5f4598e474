/** A process of `elsewise up` that runs a command of ours: as if typed, but it ends when its parent is gone. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await import('../main.js');
