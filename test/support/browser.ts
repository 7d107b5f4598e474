/** A real browser for tests of pages, and what axe says of a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { provideChromium } from '../../scripts/chromium.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFault {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

type WithAxe = typeof globalThis & { axe: { run(): Promise<{ violations: AxeFault[] }> } };

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: provideChromium(), args: ['--no-sandbox'] });
}

/** The faults that axe calls serious or critical. Evaluated by the driver, because pages allow no foreign script. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as WithAxe).axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}
