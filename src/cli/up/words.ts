/** The text of `elsewise up` when all parts run: the next commands to type, addresses, and a note on use in production. */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXAMPLE } from '../../places.js';
import { formatTable } from '../table.js';
import type { SystemPart } from './part.js';

export function describeParts(parts: readonly SystemPart[], data: string | undefined): string {
  const rows = parts.map(({ name, url, pid, about }) => [name, url, `process ${pid}`, about]);
  const kept = data ? `data in ${data}` : 'nothing is kept when it ends';
  return `These parts run until Ctrl-C:\n\n${formatTable(rows)}\n\nFor a first try, not for production: one machine, no password, ${kept}.`;
}

export function suggestCommands(parts: readonly SystemPart[]): string {
  const urlOf = (wanted: string) => parts.find(({ name }) => name === wanted)?.url;
  const example = shortPath(fileURLToPath(EXAMPLE));
  const api = urlOf('api');
  return [suggestQueue(urlOf('redis')!, example), ...(api ? [suggestHttp(api, example)] : [])].join('\n\n');
}

function suggestQueue(redisUrl: string, example: string): string {
  return `Try it in another terminal:

  export REDIS_URL=${redisUrl}
  npx elsewise models push ${example}/model.json
  head -2 ${example}/applicants.csv | npx elsewise enqueue --model credit --policy ${example}/policy.json --input - --batch first
  npx elsewise batch wait first --output -`;
}

function suggestHttp(api: string, example: string): string {
  return `Or over HTTP, when the model is there:

  curl -H 'content-type: text/csv' -H "x-elsewise-policy: $(tr -d '\\n' < ${example}/policy.json)" \\
       --data-binary @${example}/applicants.csv '${api}/v1/batches?model=credit&batch=second'
  curl ${api}/v1/batches/second/results`;
}

function shortPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith(`..${sep}`) ? path : near;
}
