/**
 * The layers of src, from the bottom to the top. A layer may import the layers of the lines above its own in this list, never
 * its neighbours on the same line. `.dependency-cruiser.cjs` checks this; `scripts/layers.mjs` draws in this order.
 */
module.exports = [
  ['documents', 'linalg'],
  ['models'],
  ['policy'],
  ['problems'],
  ['proofs', 'solvers'],
  ['explain'],
  ['places.ts', 'settings'],
  ['config.ts'],
  ['scoring'],
  ['formats', 'store', 'telemetry', 'report', 'receipts'],
  ['jobs', 'console'],
  ['api'],
  ['cli'],
];
