/** `elsewise serve`: the HTTP API, until it is told to stop. */
import { pino } from 'pino';
import { ApiServer } from '../../api/server.js';
import { apiSettings, readTokenFile } from '../../api/settings.js';
import { defineCommand } from '../command.js';
import { aborted, interruptSignal } from '../interrupt.js';
import { STORE_OPTIONS, settingsOf } from '../store-options.js';

const STDERR = 2;

export const serve = defineCommand({
  usage: 'serve [--host 127.0.0.1] [--port 8080] [--tokens FILE | --insecure-no-auth] [--redis URL]',
  about: `Serves the HTTP API: explanations of single rows, batches, the registry of models. GET /openapi.json describes it,
docs/api.md shows how it is called. It only queues and fetches: workers do the work (elsewise worker).

Who calls shows a token with a role: submit (send rows), read (fetch results), admin (push models, and all the rest).
elsewise token makes one; its entry goes into a JSON list, named by --tokens or ELSEWISE_API_TOKENS_FILE. Without tokens it
does not start, unless told so by --insecure-no-auth, and then it only listens on the loopback. It speaks plain HTTP: put
it behind whatever ends TLS for you.

Logs are JSON lines on standard error, without personal data unless ELSEWISE_API_LOG_ROWS=true. SIGTERM or SIGINT: unready
first, then requests are finished, for at most ELSEWISE_API_DRAIN_MS; a second signal ends it at once.`,
  options: {
    host: { kind: 'text', value: 'NAME', help: 'where to listen (127.0.0.1); 0.0.0.0: on every interface' },
    port: {
      kind: 'whole',
      value: 'N',
      min: 0,
      help: 'of the API, /metrics, /healthz and /readyz (8080); 0: any free one',
    },
    tokens: { kind: 'text', value: 'FILE', help: 'a JSON list of entries as `elsewise token` prints them' },
    'insecure-no-auth': { kind: 'flag', help: 'everyone on this machine may do everything; never in production' },
    ...STORE_OPTIONS,
  },
  examples: [
    { does: 'make a token and its entry', command: 'token --name nightly --roles submit,read' },
    { does: 'serve those who have one', command: 'serve --tokens tokens.json --host 0.0.0.0' },
    { does: 'try it out', command: 'serve --insecure-no-auth' },
  ],
  async run({ options }) {
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
