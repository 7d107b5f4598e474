/**
 * Whether the container does its work: ends with 0 when /healthz answers well on one of the ports given. The image has no curl,
 * and one image serves several commands, each with its own port.
 */
const TIMEOUT_MS = 3_000;

const ports = process.argv.slice(2);
const answers = await Promise.all(ports.map(isWell));
process.exit(answers.includes(true) ? 0 : 1);

async function isWell(port) {
  try {
    const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return ok;
  } catch {
    return false;
  }
}
