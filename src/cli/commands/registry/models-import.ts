/** `elsewise models import FILE`: the model file of another library becomes a model document that loads and keeps its probes. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { config } from '../../../config.js';
import { ElsewiseError } from '../../../documents/error.js';
import { type ModelDocument, probesSchema } from '../../../documents/model-document.js';
import { parseDocument } from '../../../documents/parse.js';
import { type Format, formats } from '../../../formats/index.js';
import { writeOutput } from '../../../jobs/rows/streams.js';
import { loadModel } from '../../../models/load.js';
import { defineCommand } from '../../command.js';
import { readJson } from '../../documents.js';

export const importModel = defineCommand({
  usage: `models import FILE --from ${[...formats.keys()].join('|')} --output FILE [--name NAME] [--probes FILE]`,
  about: `Reads a file that the library saved and writes a model document. A part that the document cannot express is refused
by name. With --probes the document carries scores of the library, and every load compares the model with them.
The document is written only if it loads. Add types, limits and units of features to the document afterwards.`,
  options: {
    from: { kind: 'choice', choices: [...formats.keys()], help: 'the library that wrote FILE', required: true },
    output: { kind: 'text', value: 'FILE', help: 'the model document', required: true },
    name: { kind: 'text', value: 'NAME', help: 'the name of the model; the name of FILE if not given' },
    probes: {
      kind: 'text',
      value: 'FILE',
      help: 'scores of the library: {"rows": [[...]], "scores": [[...]]}, rows in the order of the features',
    },
  },
  positionals: ['FILE'],
  examples: [
    { does: 'from a file of XGBoost', command: 'models import model.ubj --from xgboost --output model.json' },
    {
      does: 'with scores of the library as probes',
      command: 'models import model.txt --from lightgbm --probes probes.json --output model.json',
    },
  ],
  async run({ options, positionals: [path] }) {
    const format = formats.get(options.from)!;
    const document = format.read(await readBytes(path));
    document.name = options.name ?? nameOf(path);
    if (options.probes) document.probes = await readProbes(options.probes, format);
    loadModel(document, { bounds: config.bounds });
    await writeOutput(options.output, `${JSON.stringify(document)}\n`);
    process.stderr.write(`elsewise: ${options.output}: ${describe(document)}\n`);
    return 0;
  },
});

async function readBytes(path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new ElsewiseError('bad-document', error.code === 'ENOENT' ? 'no such file' : error.message, path);
  });
}

/** The part of the file's name before its first dot, restricted to the characters of a name. */
function nameOf(path: string): string {
  const [stem] = basename(path)
    .replace(/^[^A-Za-z0-9]+/, '')
    .split('.');
  return stem.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 100) || 'model';
}

async function readProbes(path: string, { precision }: Format): Promise<ModelDocument['probes']> {
  const form = z.strictObject({ ...probesSchema.shape, precision: probesSchema.shape.precision.default(precision) });
  return parseDocument(form, await readJson(path), path);
}

function describe({ name, features, parameters, probes }: ModelDocument): string {
  const trees = (parameters.trees as unknown[]).length;
  const checked = probes ? `${probes.rows.length} probes passed` : 'no probes: nothing shows that the scores are right';
  return `${name}, ${trees} trees, ${features.length} features; ${checked}`;
}
