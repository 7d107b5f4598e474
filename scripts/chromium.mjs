/** The browser of the tests of the console. */
import { findProgram, installPackage, Missing, mayInstall } from './system.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const ADVICE = 'install chromium, or set CHROMIUM to the path of a Chromium';

/** CHROMIUM if it is set, else the first on the PATH, installed if need be. */
export function provideChromium() {
  const known = process.env.CHROMIUM ?? findProgram(...NAMES);
  if (known) return known;
  if (!mayInstall()) throw new Missing(`no Chromium: ${ADVICE}`);
  installPackage('chromium');
  const installed = findProgram(...NAMES);
  if (!installed) throw new Missing(`no chromium on the PATH after its installation: ${ADVICE}`);
  return installed;
}
