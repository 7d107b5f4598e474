/**
 * Which layer of src may import which: `npx depcruise src` checks this, and test/tidy/layers.test.ts does so in every run.
 * src/README.md gives the reasons.
 */

const LAYERS = require('./scripts/layer-order.cjs');

/** No I/O, no clock, no processes: what these compute depends on their arguments only. */
const PURE = ['documents', 'linalg', 'models', 'policy', 'problems', 'proofs', 'solvers', 'explain'];

const IMPURE_MODULES = [
  ...['fs', 'net', 'tls', 'dgram', 'dns', 'http', 'http2', 'https', 'readline', 'repl', 'inspector'],
  ...['child_process', 'worker_threads', 'cluster', 'process', 'os', 'timers', 'perf_hooks'],
];
const IMPURE_PACKAGES = ['ioredis', 'bullmq', 'piscina', 'prom-client'];

/** Packages that exactly one file wraps: their quirks are handled there. */
const WRAPPED = { highs: 'src/solvers/highs/highs.ts' };

/** Packages whose code the build puts into the bundle of the console. An installed elsewise does not need them. */
const BUNDLED = ['preact'];

const literal = (text) => text.replaceAll('.', '\\.');
const inLayer = (names) => `^src/(${names.map(literal).join('|')})(/|$)`;
/** Also where node_modules is a link. */
const inBundle = `(^|/)node_modules/(${BUNDLED.join('|')})/`;
const inPackage = (names) => `^(node_modules/)?(${names.join('|')})(/|$)`;

const layerRules = LAYERS.flatMap((row, rank) =>
  row.map((name) => ({
    name: `layer-${name.replace('.ts', '')}`,
    comment: `src/${name} may import itself and the layers below it only`,
    severity: 'error',
    from: { path: inLayer([name]) },
    to: { path: '^src/', pathNot: inLayer([name, ...LAYERS.slice(0, rank).flat()]) },
  })),
);

const wrapperRules = Object.entries(WRAPPED).map(([name, file]) => ({
  name: `only-one-imports-${name}`,
  comment: `only ${file} imports the package ${name}`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^${literal(file)}$` },
  to: { path: inPackage([name]) },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'imports of types count as well',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    ...layerRules,
    {
      name: 'index-on-top',
      comment: 'the package is everything but the command line',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: inLayer(['cli']) },
    },
    {
      name: 'no-strays',
      comment: 'every file is in a layer; give a new folder its place in LAYERS',
      severity: 'error',
      from: { path: '^src/', pathNot: inLayer([...LAYERS.flat(), 'index.ts']) },
      to: {},
    },
    {
      name: 'pure-without-io',
      severity: 'error',
      from: { path: inLayer(PURE) },
      to: { path: `^(node:)?(${IMPURE_MODULES.join('|')})(/|$)`, dependencyTypes: ['core'] },
    },
    {
      name: 'pure-without-services',
      severity: 'error',
      from: { path: inLayer(PURE) },
      to: { path: inPackage(IMPURE_PACKAGES) },
    },
    ...wrapperRules,
    {
      name: 'shipped-packages-only',
      comment: 'src may import what is in dependencies: the rest is not there where the package is installed',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: inBundle },
    },
    {
      name: 'console-in-the-browser',
      comment:
        'browsers run the console: beside its own code it may import documents and words for people, and no code of Node',
      severity: 'error',
      from: { path: inLayer(['console']) },
      to: { pathNot: `${inLayer(['console', 'documents', 'report'])}|${inBundle}` },
    },
    {
      name: 'only-the-console-is-bundled',
      comment: 'packages of the console are in its bundle only',
      severity: 'error',
      from: { path: '^src/', pathNot: inLayer(['console']) },
      to: { path: inBundle },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
