/** THE TABLE of commands. A new command is one file and one row here. */
import type { CommandRow } from '../command.js';

export const commands: readonly CommandRow[] = [
  {
    name: 'explain',
    summary: 'what each row would have to change to reach the target',
    load: async () => (await import('./explain.js')).explain,
  },
  {
    name: 'predict',
    summary: 'what the model says of each row',
    load: async () => (await import('./predict.js')).predict,
  },
  {
    name: 'models',
    summary: 'check model files, and keep them in the registry',
    load: async () => (await import('./registry/models.js')).models,
  },
  {
    name: 'policies',
    summary: 'keep policies in the registry',
    load: async () => (await import('./registry/policies.js')).policies,
  },
  {
    name: 'worker',
    summary: 'answer rows from the queues, until told to stop',
    load: async () => (await import('./worker.js')).worker,
  },
  {
    name: 'enqueue',
    summary: 'put the rows of a file into the queue as a batch',
    load: async () => (await import('./enqueue.js')).enqueue,
  },
  {
    name: 'batch',
    summary: 'how far a batch is, and its results',
    load: async () => (await import('./batch/batch.js')).batch,
  },
  {
    name: 'config',
    summary: 'the configuration that holds here, and where it comes from',
    load: async () => (await import('./config.js')).config,
  },
  {
    name: 'dead',
    summary: 'what was given up and why; to replay or to drop',
    load: async () => (await import('./dead/dead.js')).dead,
  },
  {
    name: 'serve',
    summary: 'the HTTP API',
    load: async () => (await import('./serve.js')).serve,
  },
  {
    name: 'token',
    summary: 'make a token for the HTTP API',
    load: async () => (await import('./token.js')).token,
  },
  {
    name: 'schedule',
    summary: 'batches at fixed times, from files that are there then',
    load: async () => (await import('./schedule/schedule.js')).schedule,
  },
  {
    name: 'up',
    summary: 'Redis, a worker and the API on this machine, for a first try',
    load: async () => (await import('./up.js')).createUp(commands.some(({ name }) => name === 'serve')),
  },
  {
    name: 'demo',
    summary: 'explain a portfolio of rejected loan applicants, here and now',
    load: async () => (await import('./demo.js')).demo,
  },
];
