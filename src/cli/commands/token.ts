/** `elsewise token`: makes a secret token for the API and the entry by which the API knows the token. */
import { createToken, hashToken, ROLES, type Role } from '../../api/tokens.js';
import { tokenSchema } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import { parseDocument } from '../../documents/parse.js';
import { defineCommand } from '../command.js';

export const token = defineCommand({
  usage: 'token --name NAME --roles submit,read,audit,admin',
  about: `Prints two lines: a new token for the caller of the API, and the entry for the list of tokens of \`elsewise serve\`.
The entry holds the SHA-256 of the token only: store the token nowhere else. To revoke a token, remove its entry and restart.`,
  options: {
    name: { kind: 'text', value: 'NAME', required: true, help: 'the name of the caller, for the log' },
    roles: {
      kind: 'text',
      value: 'submit,read,audit,admin',
      required: true,
      help: 'submit: send rows; read: fetch results; audit: the record of answers; admin: everything',
    },
  },
  examples: [
    { does: 'for the nightly job', command: 'token --name nightly --roles submit,read' },
    {
      does: 'token into one file, list of tokens into another',
      command: 'token --name me --roles admin | { read -r token; echo "$token" > token; jq -s \'.\' > tokens.json; }',
    },
  ],
  async run({ options }) {
    const secret = createToken();
    const entry = { name: options.name, roles: readRoles(options.roles), sha256: hashToken(secret) };
    process.stdout.write(`${secret}\n${JSON.stringify(parseDocument(tokenSchema, entry, 'token'))}\n`);
    return 0;
  },
});

function readRoles(text: string): Role[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(ROLES as readonly string[]).includes(name));
  if (unknown === undefined) return ROLES.filter((role) => names.includes(role));
  const hint = didYouMean(unknown, ROLES) || `; known are ${ROLES.join(', ')}`;
  throw new ElsewiseError('usage', `--roles: unknown role "${unknown}"${hint}`);
}
