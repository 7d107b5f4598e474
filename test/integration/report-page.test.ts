/** A report in a real browser: opened from disk, searched, sorted, printed, in the dark and on a phone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, seriousFaults } from '../support/browser.js';
import { population } from '../unit/report/people-results.js';
import { run } from './cli-process.js';

const PEOPLE = 150;
const PAGE_OF_PEOPLE = 100;

let browser: Browser;
let page: Page;
let folder: string;
const asked: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'elsewise-page-'));
  const [results, report] = [join(folder, 'results.ndjson'), join(folder, 'report.html')];
  writeFileSync(
    results,
    population(PEOPLE)
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  );
  expect(await run(['report', results, '--by', 'housing', '--output', report])).toMatchObject({ code: 0 });
  browser = await openBrowser();
  page = await browser.newPage();
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(pathToFileURL(report).href);
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const visibleIds = () => page.locator('#people tbody tr:visible th').allTextContents();

describe('a report in a browser', () => {
  it('needs no other file, and axe finds nothing serious by day, by night and on a phone', async () => {
    expect(asked).toHaveLength(1);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFaults(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 375, height: 700 });
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('searches people and filters them by outcome', async () => {
    expect(await visibleIds()).toHaveLength(PAGE_OF_PEOPLE);
    await page.getByLabel('outcome').selectOption('infeasible');
    const infeasible = population(PEOPLE).filter(({ status }) => status === 'infeasible').length;
    expect(await page.locator('#told').textContent()).toBe(`${infeasible} of ${infeasible} shown`);
    await page.getByLabel('outcome').selectOption('');
    const [first] = await visibleIds();
    await page.getByLabel('search people').fill(first!);
    expect(await visibleIds()).toContain(first);
    expect((await visibleIds()).length).toBeLessThan(PAGE_OF_PEOPLE);
    await page.getByLabel('search people').fill('');
  });

  it('sorts by cost by keyboard, the dearest first on the second press', async () => {
    const costs = async () =>
      (await page.locator('#people tbody tr:visible td:nth-child(4)').allTextContents()).filter(Boolean).map(Number);
    await page.getByRole('button', { name: 'cost' }).focus();
    await page.keyboard.press('Enter');
    const rising = await costs();
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
    await page.keyboard.press('Enter');
    const falling = await costs();
    expect(falling).toEqual([...falling].sort((a, b) => b - a));
    expect(falling[0]).toBeGreaterThan(rising[0]!);
  });

  it('opens a person to the full record', async () => {
    const record = page.locator('#people tbody tr:visible details').first();
    await record.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await record.getAttribute('open')).not.toBeNull();
    expect(await record.textContent()).toContain('elsewise.result/v1');
  });

  it('prints without controls', async () => {
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByLabel('search people').isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'Recourse report' }).isVisible()).toBe(true);
    const paper = await page.pdf({ format: 'A4' });
    expect(paper.subarray(0, 5).toString()).toBe('%PDF-');
    expect(complaints).toEqual([]);
  });
});
