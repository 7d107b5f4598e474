/** The console in a real browser: sign in, make a plan, tighten it, try other values; and what axe says of each page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideChromium } from '../../scripts/chromium.mjs';
import { ApiWorld, exampleFeatures, POLICY_LINE, SECRETS } from './api-world.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let api: ApiWorld;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  api = await ApiWorld.create({});
  const policy = JSON.parse(POLICY_LINE);
  await api.call('PUT', `/v1/policies/${policy.name}`, { body: policy });
  browser = await chromium.launch({ executablePath: provideChromium(), args: ['--no-sandbox'] });
  page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
});

afterAll(async () => {
  await browser?.close();
  await api?.close();
});

/** The faults that axe calls serious or critical. Evaluated by the driver, because the page itself allows no foreign script. */
async function faultsOfPage(): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: { run(): Promise<{ violations: AxeFault[] }> } }
    ).axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

interface AxeFault {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe('the console', () => {
  it('asks for a token, refuses a wrong one, and keeps none where scripts can read', async () => {
    await page.goto(`${api.server.address}/console`);
    await page.getByLabel('Token').fill('elsewise_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await faultsOfPage()).toEqual([]);
    await page.getByLabel('Token').fill(SECRETS.admin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'What would have had to be different' }).waitFor();
    const readable = await page.evaluate<string>(
      'document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })',
    );
    expect(readable).toBe('{}');
  });

  it('makes plans for a row, and says what the model says of edited values', async () => {
    await page.getByText('Paste a row').click();
    await page.getByLabel('JSON, or CSV with its header').fill(JSON.stringify(exampleFeatures(api.world)));
    await page.getByLabel('JSON, or CSV with its header').blur();
    await page.getByText('With these details: rejected').waitFor();
    await page.getByRole('button', { name: 'Make new plans' }).click();
    await page.getByRole('tab', { name: 'Plan A' }).waitFor();
    expect(await page.getByRole('tab').count()).toBeGreaterThan(1);
    expect(await page.getByRole('img', { name: /^Score now .* needed 0.60$/ }).count()).toBe(1);
    expect(await faultsOfPage()).toEqual([]);
  });

  it('moves between plans by keyboard', async () => {
    await page.getByRole('tab', { name: 'Plan A' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { name: 'Plan B' }).getAttribute('aria-selected')).toBe('true');
  });

  it('leaves out a feature that the person finds impossible', async () => {
    await page.getByRole('tab', { name: 'Plan A' }).click();
    const named = (await page.getByRole('tabpanel').getByRole('heading').first().textContent())!;
    const wish = page.locator('details.wish', { hasText: named });
    await wish.locator('summary').click();
    await wish.getByLabel('impossible').check();
    const answered = page.waitForResponse(/\/v1\/explanations/);
    await page.getByRole('button', { name: 'Make new plans' }).click();
    expect((await answered).status()).toBe(200);
    await page.locator('[aria-busy="false"]').waitFor();
    expect(await page.getByRole('tabpanel').getByRole('heading', { name: named, exact: true }).count()).toBe(0);
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(375);
    await page.setViewportSize({ width: 1180, height: 900 });
  });

  it('lists models and policies', async () => {
    await page.getByRole('link', { name: 'Data scientist' }).click();
    await page.getByRole('cell', { name: 'retail-credit' }).first().waitFor();
    expect(await faultsOfPage()).toEqual([]);
  });

  it('checks a policy while it is typed', async () => {
    await page.getByText('The policy is valid.').waitFor();
    await page
      .getByLabel('Policy document')
      .fill('{"schema":"elsewise.policy/v1","maxChanges":0,"features":{"agee":{}}}');
    await page.getByText('Faults: 2').waitFor();
    expect(await page.getByText('policy.features.agee').count()).toBe(1);
    expect(await faultsOfPage()).toEqual([]);
  });

  it('signs out', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    await page.reload();
    await page.getByLabel('Token').waitFor();
  });

  it('broke no rule of its own content security policy, and no script', () => {
    expect(complaints).toEqual([]);
  });
});
