/** A thread that ends in the midst of its task. */
const ENDS = {
  exit: () => process.exit(1),
  memory: () => {
    const kept = [];
    for (;;) kept.push(Array(100_000).fill(kept.length));
  },
  throw: () => {
    throw new Error('a task that is no good');
  },
};

export default (how) => ENDS[how]();
