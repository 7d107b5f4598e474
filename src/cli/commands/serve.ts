/** `elsewise serve`: the HTTP API, until it is told to stop. */
import { pino } from 'pino';
import { ApiServer } from '../../api/server.js';
import { apiSettings, readTokenFile } from '../../api/settings.js';
import { defineCommand } from '../command.js';
import { aborted, interruptSignal } from '../interrupt.js';
import { tellMisspeltVariables } from '../misspelt-variables.js';
import { STORE_OPTIONS, settingsOf } from '../store-options.js';

const STDERR = 2;

export const serve = defineCommand({
  usage: 'serve [--host 127.0.0.1] [--port 8080] [--tokens FILE | --insecure-no-auth] [--redis URL]',
  about: `Serves the HTTP API: explanations of single rows, batches, the registries of models and policies, and a
console for browsers at /console. GET /openapi.json describes the API, docs/api.md shows calls. The API queues rows and fetches results. Workers solve the rows (elsewise worker).

A caller sends a token with a role: submit (send rows), read (fetch results), admin (push models, and everything else).
elsewise token makes a token and its entry. --tokens or ELSEWISE_API_TOKENS_FILE names a JSON list of entries. Without
tokens the API starts only with --insecure-no-auth, and then listens on the loopback only. The API speaks plain HTTP:
put a proxy that terminates TLS in front.

Logs are JSON lines on standard error, without personal data unless ELSEWISE_API_LOG_ROWS=true. On SIGTERM or SIGINT the
API is unready first and then finishes requests for at most ELSEWISE_API_DRAIN_MS. A second signal ends the API at once.`,
  options: {
    host: { kind: 'text', value: 'NAME', help: 'address to listen on (127.0.0.1); 0.0.0.0: every interface' },
    port: {
      kind: 'whole',
      value: 'N',
      min: 0,
      help: 'port of the API, /metrics, /healthz and /readyz (8080); 0: any free port',
    },
    tokens: { kind: 'text', value: 'FILE', help: 'a JSON list of entries as `elsewise token` prints them' },
    'insecure-no-auth': {
      kind: 'flag',
      help: 'no tokens: every user of this machine may do everything; never in production',
    },
    ...STORE_OPTIONS,
  },
  examples: [
    { does: 'make a token and its entry', command: 'token --name nightly --roles submit,read' },
    { does: 'serve callers with a token', command: 'serve --tokens tokens.json --host 0.0.0.0' },
    { does: 'try the API', command: 'serve --insecure-no-auth' },
  ],
  async run({ options }) {
    tellMisspeltVariables();
    const insecureNoAuth = options['insecure-no-auth'];
    const { host, port } = options;
    const tokens = options.tokens === undefined ? undefined : readTokenFile(options.tokens);
    const stop = interruptSignal();
    const server = await ApiServer.start({
      store: settingsOf(options),
      api: apiSettings({ host, port, tokens }),
      insecureNoAuth,
      log: pino.destination(STDERR),
    });
    if (insecureNoAuth) process.stderr.write('elsewise: no tokens: everyone on this machine may do everything\n');
    process.stdout.write(`serving on ${server.address}\n`);
    await aborted(stop);
    await server.drain();
    return 0;
  },
});
