/** `/console`: the pages for people, and the sessions of their browsers. */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { CONSOLE_PAGES } from '../../places.js';
import { ConsoleFiles } from '../console-files.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';
import type { Service } from '../service.js';
import { CONSOLE_HEADER, refuseForeign } from '../sessions.js';

const encoding = z.object({ 'accept-encoding': z.string().optional().describe('br, gzip or none') });
const fromConsole = z.object({
  [CONSOLE_HEADER]: z.string().optional().describe('any text: shows that a page of the console sends the request'),
  origin: z.string().optional().describe('the site of the page, as browsers send it'),
  host: z.string().optional().describe('the name of the server'),
  cookie: z.string().optional().describe('the session'),
});
const SESSION = { description: 'name and roles of the token', schema: SCHEMAS.session };

let files: ConsoleFiles | undefined;

/** The files are read with the first request. They do not change while the server runs. */
function filesOf({ settings }: Service): ConsoleFiles {
  if (!settings.console) throw new ElsewiseError('no-such-route', 'the console is switched off (api.console)');
  files ??= new ConsoleFiles(CONSOLE_PAGES);
  return files;
}

const showConsole = defineRoute({
  id: 'showConsole',
  method: 'GET',
  path: '/console',
  summary: 'The pages for people',
  access: 'anyone',
  worksAlone: true,
  headers: encoding,
  responses: { 200: { description: 'a page for browsers', type: 'text/html; charset=utf-8' } },
  answer: async ({ headers, service }) => filesOf(service).page(headers['accept-encoding']),
});

const showAsset = defineRoute({
  id: 'showConsoleFile',
  method: 'GET',
  path: '/console/assets/:file',
  summary: 'A script or a style of the pages',
  access: 'anyone',
  worksAlone: true,
  params: z.strictObject({ file: z.string().regex(/^[\w.-]+$/) }),
  headers: encoding,
  responses: {
    200: { description: 'the file', type: 'text/javascript; charset=utf-8', others: ['text/css'] },
    404: { description: 'no such file', schema: SCHEMAS.problem },
  },
  answer: async ({ params, headers, service }) => filesOf(service).asset(params.file, headers['accept-encoding']),
});

const showSession = defineRoute({
  id: 'showSession',
  method: 'GET',
  path: '/console/session',
  summary: 'The name and the roles of the caller',
  access: 'known',
  worksAlone: true,
  responses: { 200: SESSION },
  answer: async ({ caller, roles }) => sessionOf(caller!, roles),
});

const signIn = defineRoute({
  id: 'signIn',
  method: 'POST',
  path: '/console/session',
  summary: 'Sign a browser in with a token; the answer sets a cookie',
  access: 'anyone',
  headers: fromConsole,
  body: { kind: 'json', schema: SCHEMAS.signIn },
  responses: { 200: { ...SESSION, headers: { 'set-cookie': 'the session' } } },
  async answer({ headers, body, service, address }) {
    refuseForeign('POST', headers);
    const { caller, cookie } = await service.sessions.signIn({ ...body, address, origin: headers.origin });
    return { ...sessionOf(caller.name, caller.roles), headers: { 'set-cookie': cookie } };
  },
});

const signOut = defineRoute({
  id: 'signOut',
  method: 'DELETE',
  path: '/console/session',
  summary: 'End the session of the cookie',
  access: 'known',
  headers: fromConsole,
  responses: {
    204: { description: 'the session has ended', headers: { 'set-cookie': 'removes the cookie' }, isEmpty: true },
  },
  async answer({ headers, service }) {
    return { status: 204, body: '', headers: { 'set-cookie': await service.sessions.signOut(headers) } };
  },
});

const sessionOf = (name: string, roles: readonly string[]) => ({
  status: 200,
  body: { schema: 'elsewise.session/v1', name, roles: [...roles] },
});

export const consoleRoutes = [showConsole, showAsset, showSession, signIn, signOut] as const;
