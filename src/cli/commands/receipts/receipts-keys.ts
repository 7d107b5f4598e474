/** `elsewise receipts keys`: makes or rotates the keys that sign receipts. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { ElsewiseError } from '../../../documents/error.js';
import { readText, writeKeyFile } from '../../../receipts/key-file.js';
import { parseKeys, publicPart, type ReceiptKey } from '../../../receipts/key-set.js';
import { rotateKeys } from '../../../receipts/new-key.js';
import { defineCommand } from '../../command.js';

export const keys = defineCommand({
  usage: 'receipts keys --output FILE [--public FILE] [--only-public]',
  about: `Writes a new Ed25519 key to the file, for the owner of the file only. In an existing file the new key stands first and signs
from now on. The earlier keys lose their private part, and their receipts still verify. A running API reads the changed
file again.

The file is a JSON Web Key Set. --public writes the public parts, with which others check receipts.`,
  options: {
    output: { kind: 'text', value: 'FILE', required: true, help: 'the file of keys: a new file, or a file to rotate' },
    public: { kind: 'text', value: 'FILE', help: 'also write the public keys to this file' },
    'only-public': { kind: 'flag', help: 'no new key: write the public keys of the file alone' },
  },
  examples: [
    { does: 'make a key, or rotate', command: 'receipts keys --output keys.json --public jwks.json' },
    {
      does: 'the public keys of a file',
      command: 'receipts keys --output keys.json --public jwks.json --only-public',
    },
  ],
  async run({ options }) {
    const { output, public: publicFile, 'only-public': onlyPublic } = options;
    if (onlyPublic && publicFile === undefined)
      throw new ElsewiseError('usage', '--only-public needs --public FILE, the file for the public keys');
    const earlier = existsSync(output) || onlyPublic ? parseKeys(await readText(output), output) : [];
    const present = onlyPublic ? earlier : await rotateKeys(earlier);
    if (!onlyPublic) await writeKeyFile(output, present);
    if (publicFile !== undefined) await writePublic(publicFile, present);
    if (!onlyPublic) process.stdout.write(describe(output, present));
    return 0;
  },
});

async function writePublic(path: string, present: readonly ReceiptKey[]): Promise<void> {
  const text = `${JSON.stringify({ keys: present.map(publicPart) }, null, 2)}\n`;
  await writeFile(path, text).catch((error: Error) => {
    throw new ElsewiseError('usage', `cannot write ${path}: ${error.message}`);
  });
}

function describe(path: string, [{ kid }, ...earlier]: readonly ReceiptKey[]): string {
  const retired = earlier.length
    ? `; ${earlier.length} earlier ${earlier.length > 1 ? 'keys' : 'key'} only verify`
    : '';
  return `${path}: the key ${kid} signs${earlier.length === 1 ? retired.replace('verify', 'verifies') : retired}\n`;
}
