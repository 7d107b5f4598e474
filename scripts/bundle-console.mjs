/**
 * The last part of `npm run build`: the console for browsers, from src/console into dist/console. Scripts and styles have a hash of
 * their content in their names. Each file is also written compressed, because the server sends files and compresses nothing.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const SOURCE = fileURLToPath(new URL('../src/console/', import.meta.url));
const TARGET = fileURLToPath(new URL('../dist/console/', import.meta.url));
const ASSETS = '/console/assets/';
const LICENCE = fileURLToPath(new URL('../node_modules/preact/LICENSE', import.meta.url));

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
const script = await bundleScripts();
const style = writeStyle();
writeFileSync(join(TARGET, 'index.html'), pageWith(script, style));
for (const file of readdirSync(TARGET)) compress(join(TARGET, file));

/** The name of the script that the page starts with. Pages are scripts of their own, which are loaded when they are opened. */
async function bundleScripts() {
  const code = await rolldown({
    input: join(SOURCE, 'main.tsx'),
    platform: 'browser',
  });
  const { output } = await code.write({
    dir: TARGET,
    format: 'esm',
    minify: true,
    entryFileNames: 'console-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    banner: ({ isEntry }) => (isEntry ? `/*! With preact:\n${readFileSync(LICENCE, 'utf8').trim()}\n*/` : ''),
  });
  await code.close();
  return output.find(({ isEntry }) => isEntry).fileName;
}

/** All styles as one file, without comments and needless space. */
function writeStyle() {
  const sheets = readdirSync(SOURCE, { recursive: true })
    .filter((file) => file.endsWith('.css'))
    .sort();
  const text = sheets
    .map((sheet) => readFileSync(join(SOURCE, sheet), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '');
  const name = `console-${createHash('sha256').update(text).digest('base64url').slice(0, 8)}.css`;
  writeFileSync(join(TARGET, name), text);
  return name;
}

function pageWith(script, style) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>elsewise</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ASSETS}${style}">
<script type="module" src="${ASSETS}${script}"></script>
</head>
<body><div id="console"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
}

function compress(path) {
  const bytes = readFileSync(path);
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  );
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
