/** THE TABLE of commands. A new command is one file and one row here. */
import type { CommandRow } from '../command.js';

export const commands: readonly CommandRow[] = [
  {
    name: 'explain',
    summary: 'find the cheapest change with which each row reaches the target',
    load: async () => (await import('./explain.js')).explain,
  },
  {
    name: 'predict',
    summary: 'score each row by the model',
    load: async () => (await import('./predict.js')).predict,
  },
  {
    name: 'verify',
    summary: 'solve the rows of results again and compare byte by byte',
    load: async () => (await import('./verify.js')).verify,
  },
  {
    name: 'compare',
    summary: 'two policies or two models on the same rows: who gains an answer',
    load: async () => (await import('./compare.js')).compare,
  },
  {
    name: 'report',
    summary: 'write the results of a run as one HTML file',
    load: async () => (await import('./report.js')).report,
  },
  {
    name: 'audit',
    summary: 'the record of answers: show, export, verify',
    load: async () => (await import('./audit/audit.js')).audit,
  },
  {
    name: 'receipts',
    summary: 'signed receipts of results: keys, sign, check',
    load: async () => (await import('./receipts/receipts.js')).receipts,
  },
  {
    name: 'forget',
    summary: 'remove the stored data of a row from Redis',
    load: async () => (await import('./forget.js')).forget,
  },
  {
    name: 'models',
    summary: 'check model files, and store models in the registry',
    load: async () => (await import('./registry/models.js')).models,
  },
  {
    name: 'policies',
    summary: 'write and check policy files, and store policies in the registry',
    load: async () => (await import('./registry/policies.js')).policies,
  },
  {
    name: 'worker',
    summary: 'answer rows from the queues until a signal ends the worker',
    load: async () => (await import('./worker.js')).worker,
  },
  {
    name: 'enqueue',
    summary: 'put the rows of a file into the queue as a batch',
    load: async () => (await import('./enqueue.js')).enqueue,
  },
  {
    name: 'batch',
    summary: 'progress and results of a batch',
    load: async () => (await import('./batch/batch.js')).batch,
  },
  {
    name: 'letters',
    summary: 'write a letter to each person of a file of results',
    load: async () => (await import('./letters.js')).letters,
  },
  {
    name: 'config',
    summary: 'all settings with their values and sources',
    load: async () => (await import('./config.js')).config,
  },
  {
    name: 'dead',
    summary: 'requests and jobs that were given up: list, replay, drop',
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
    summary: 'batches at fixed times from new files',
    load: async () => (await import('./schedule/schedule.js')).schedule,
  },
  {
    name: 'up',
    summary: 'Redis, a worker and the API on this machine, for a first try',
    load: async () => (await import('./up.js')).createUp(commands.some(({ name }) => name === 'serve')),
  },
  {
    name: 'demo',
    summary: 'explain a portfolio of rejected loan applicants',
    load: async () => (await import('./demo.js')).demo,
  },
];
