/** The import graph of src as dependency-cruiser sees it, and its drawing by folder for src/README.md. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import LAYERS from './layer-order.cjs';

const CRUISER = fileURLToPath(new URL('../node_modules/dependency-cruiser/bin/dependency-cruise.mjs', import.meta.url));
const RULES = fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url));
const BEGIN = '<!-- layers:begin -->';
const END = '<!-- layers:end -->';

/**
 * Runs the same command as a person would in `root`.
 * Gives `modules` (of src only: `{ source, imports }`) and `violations` (one line each).
 */
export function cruiseSources(root) {
  const args = [CRUISER, '--config', RULES, '--output-type', 'json', 'src'];
  const { stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (error || !stdout.startsWith('{')) throw new Error(`dependency-cruiser failed: ${error?.message ?? stderr}`);
  const { modules, summary } = JSON.parse(stdout);
  return {
    modules: modules
      .filter(({ source }) => source.startsWith('src/'))
      .map(({ source, dependencies }) => ({ source, imports: dependencies.map(({ resolved }) => resolved) })),
    violations: summary.violations.map(describe),
  };
}

function describe({ rule, from, to, cycle }) {
  const way = cycle?.length ? cycle.map(({ name }) => name).join(' -> ') : to;
  return `${rule.name}: ${from} -> ${way}`;
}

/** A mermaid flowchart, an arrow for each pair of folders of which one really imports the other. */
export function drawLayers(modules) {
  const edges = modules.flatMap(({ source, imports }) =>
    imports
      .filter((path) => path.startsWith('src/') && nodeOf(path) !== nodeOf(source))
      .map((path) => `  ${nodeOf(source)} --> ${nodeOf(path)}`),
  );
  const nodes = modules.map(({ source }) => `  ${nodeOf(source)}`);
  return ['```mermaid', 'flowchart TD', ...inOrder(nodes), ...inOrder(edges), '```'].join('\n');
}

/** From the top layer to the bottom; what is in no layer comes first. */
const ORDER = LAYERS.flat()
  .map((name) => name.replace(/\.ts$/, ''))
  .reverse();

function inOrder(lines) {
  const rank = (line) => line.split(' --> ').map((name) => ORDER.indexOf(name.trim()));
  const compare = (a, b) => {
    const [ranksA, ranksB] = [rank(a), rank(b)];
    const k = ranksA.findIndex((value, i) => value !== ranksB[i]);
    return k < 0 ? 0 : ranksA[k] - ranksB[k];
  };
  return [...new Set(lines)].sort().sort(compare);
}

/** The folder right below src, or the file itself when it lies there. */
function nodeOf(path) {
  return path.split('/')[1].replace(/\.ts$/, '');
}

/** The page with `drawing` between its markers, whatever stood there before. */
export function placeDrawing(page, drawing) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`the page needs the markers ${BEGIN} and ${END}`);
  return `${page.slice(0, begin)}${BEGIN}\n${drawing}\n${page.slice(end)}`;
}
