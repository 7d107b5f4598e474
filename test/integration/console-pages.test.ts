/**
 * The console in a real browser: sign in, make a plan, tighten it, try other values, print the letter, find the answer as auditor and solve it
 * again; and what axe says of each page.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeKeyFile } from '../../dist/receipts/key-file.js';
import { rotateKeys } from '../../dist/receipts/new-key.js';
import { openBrowser, seriousFaults } from '../support/browser.js';
import { ApiWorld, exampleFeatures, POLICY_LINE, SECRETS } from './api-world.js';

let api: ApiWorld;
let browser: Browser;
let folder: string;
let page: Page;
/** The id of an answer. */
let told: string;
const complaints: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'elsewise-keys-'));
  const keys = join(folder, 'keys.json');
  await writeKeyFile(keys, await rotateKeys([]));
  api = await ApiWorld.create({}, [], undefined, { keys, validDays: 30, issuer: '', maxBytes: 100_000 });
  await api.world.serve({ lanes: ['events', 'bulk'], audit: { enabled: true, retentionDays: 30 } });
  const policy = JSON.parse(POLICY_LINE);
  await api.call('PUT', `/v1/policies/${policy.name}`, { body: policy });
  browser = await openBrowser();
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
});

afterAll(async () => {
  await browser?.close();
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A header and rows of the example. */
function someRows(count: number): string {
  const lines = readFileSync(api.world.writeRows('some.csv', 1), 'utf8').split('\n');
  return lines.slice(0, count + 1).join('\n');
}

const faultsOfPage = () => seriousFaults(page);
async function expectToFit(width: number): Promise<void> {
  await page.setViewportSize({ width, height: 740 });
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  await page.setViewportSize({ width: 1180, height: 900 });
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
    expect(await page.getByRole('img', { name: /^Score now .* needed 0.62$/ }).count()).toBe(1);
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
    await page.locator('fieldset.wish', { hasText: named }).getByLabel('impossible').check();
    const answered = page.waitForResponse(/\/v1\/explanations/);
    await page.getByRole('button', { name: 'Make new plans' }).click();
    expect((await answered).status()).toBe(200);
    await page.locator('[aria-busy="false"]').waitFor();
    expect(await page.getByRole('tabpanel').getByRole('heading', { name: named, exact: true }).count()).toBe(0);
  });

  it('tells until when the answer holds', async () => {
    await page.getByText(/we stand by this answer until \d{4}-\d{2}-\d{2}/).waitFor();
    expect(await page.getByRole('link', { name: 'Receipt' }).getAttribute('href')).toMatch(/\/receipt$/);
  });

  it('fits a phone', () => expectToFit(375));

  it('opens the letter in the language of the person, which prints', async () => {
    await page.getByLabel('Language of the letter').selectOption('de');
    const opening = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Letter' }).click();
    const letter = await opening;
    await letter.getByRole('heading', { name: 'Zu unserer Entscheidung' }).waitFor();
    expect(await letter.textContent('body')).toContain('Die Schwelle für');
    expect((await letter.pdf({ preferCSSPageSize: true })).subarray(0, 5).toString()).toBe('%PDF-');
    await letter.close();
  });

  it('tells why there is no plan, without a path of the policy', async () => {
    for (const radio of await page.getByRole('radio', { name: 'impossible' }).all()) await radio.check();
    await page.getByRole('button', { name: 'Make new plans' }).click();
    const reason = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'Why not?' }) });
    await reason.getByText('No change that our rules permit would have led').waitFor();
    expect(await reason.textContent()).not.toMatch(/features\.|maxChanges/);
    expect(await reason.getByRole('listitem').count()).toBeGreaterThan(0);
    expect(await faultsOfPage()).toEqual([]);
    told = (await page.getByText(/^Answer /).textContent())!.split(' ')[1];
  });

  it('finds the answer in the record and solves its row again, wishes included', async () => {
    await page.getByRole('link', { name: 'Auditor' }).click();
    await page.getByLabel('Id of the row').fill(told);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('button', { name: 'Solve again' }).click();
    await page.getByText('Solved again, the row has the same answer.').waitFor();
    await page.getByRole('button', { name: 'Check the chain' }).click();
    await page.getByText('holds', { exact: true }).waitFor();
    expect(await faultsOfPage()).toEqual([]);
    await expectToFit(375);
  });

  it('finds that another row is not the row of the record', async () => {
    await page.getByText('Row or policy from elsewhere').click();
    const row = { ...exampleFeatures(api.world), age: 99 };
    await page.getByLabel('A result, or the values of a row (JSON)').fill(JSON.stringify(row));
    await page.getByRole('button', { name: 'Solve again' }).click();
    await page.getByText('The row or its target is not the input of the record').waitFor();
    expect(await page.getByRole('cell', { name: 'input' }).count()).toBe(1);
  });

  it('checks the receipt of the answer, and finds a changed one', async () => {
    const { receipt } = (await api.call('GET', `/v1/explanations/${told}/receipt`)).json as { receipt: string };
    const panel = page.getByRole('region', { name: 'Check a receipt' });
    await panel.getByLabel('Receipt', { exact: true }).fill(receipt);
    await panel.getByRole('button', { name: 'Check the receipt' }).click();
    await panel.getByText('valid', { exact: true }).waitFor();
    expect(await panel.getByText(`${told}: `).count()).toBe(1);
    await panel
      .getByLabel('Receipt', { exact: true })
      .fill(receipt.replace(/\.[^.]*\./, (payload) => `${payload.slice(0, -1)}A.`));
    await panel.getByRole('button', { name: 'Check the receipt' }).click();
    await panel.getByText('altered', { exact: true }).waitFor();
    expect(await faultsOfPage()).toEqual([]);
  });

  it('lists models and policies', async () => {
    await page.getByRole('link', { name: 'Data scientist' }).click();
    await page.getByRole('cell', { name: 'retail-credit' }).first().waitFor();
    expect(await faultsOfPage()).toEqual([]);
  });

  it('solves rows again while a policy is edited, and saves a version', async () => {
    const editor = page.getByRole('region', { name: 'Policy editor' });
    await editor.getByLabel('Rows').selectOption('pasted rows');
    await editor.getByLabel('Rows as CSV').fill(someRows(12));
    await editor.getByLabel('Rows as CSV').blur();
    await editor.getByText('answers found').waitFor();
    const text = editor.getByLabel('Policy document');
    await text.fill(JSON.stringify({ ...JSON.parse(await text.inputValue()), maxChanges: 1 }));
    await editor
      .getByText(/^before: /)
      .first()
      .waitFor();
    await editor.getByRole('img', { name: /^Histogram of costs/ }).waitFor();
    expect(await faultsOfPage()).toEqual([]);
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    await page.setViewportSize({ width: 1180, height: 900 });
    await editor.getByLabel('Reason for a new version').fill('fewer changes');
    await editor.getByRole('button', { name: /^Save as new version of/ }).click();
    await editor.getByText(/^Saved as .*@2\.$/).waitFor();
    await page.getByRole('cell', { name: 'fewer changes' }).waitFor();
  });

  it('shows the features of a model', async () => {
    await page.getByRole('button', { name: 'credit@1' }).click();
    await page.getByText('Features of credit@1').waitFor();
    expect(await page.getByRole('img', { name: 'Distribution of Income' }).count()).toBe(1);
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

  it('opens an earlier answer with its own model and policy, and says where the registry lacks its policy', async () => {
    const { name, ...rules } = JSON.parse(POLICY_LINE);
    await api.call('PUT', '/v1/policies/a-first-policy', { body: { name: 'a-first-policy', ...rules, maxChanges: 2 } });
    const features = exampleFeatures(api.world);
    const ask = (id: string, policy: unknown) =>
      api.call('POST', '/v1/explanations?waitMs=60000', {
        as: 'submit',
        body: { id, model: 'credit', policy, features },
      });
    await ask('of-the-registry', `${name}@1`);
    await ask('of-nobody', { name, ...rules, maxChanges: 4 });
    await page.goto(`${api.server.address}/console#/person?id=of-the-registry`);
    await page.reload();
    await page.getByText('Answer of-the-registry').waitFor();
    expect(await page.getByRole('combobox', { name: /^Policy/ }).inputValue()).toBe(`${name}@1`);
    expect(await page.getByText('The registry has no policy').count()).toBe(0);
    await page.getByText("The person's details").click();
    await page.getByLabel('Open an earlier explanation by its id').fill('of-nobody');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('Answer of-nobody').waitFor();
    await page.getByText('The registry has no policy with the digest of this answer').waitFor();
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
