/** Pages in a real browser, with bands and several targets, the margin, addresses, values that stay, and policies of several models. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, seriousFaults } from '../support/browser.js';
import { loanModel, loanPolicy, PERSON } from '../support/letters.js';
import { ApiWorld, exampleFeatures, POLICY_LINE, SECRETS } from './api-world.js';

const BANDS = [
  { name: 'A', from: 0.9 },
  { name: 'B', from: 0.7 },
  { name: 'C', from: 0.5 },
];
/** No permitted change reaches the band A. */
const LADDER = {
  ...{ ...loanPolicy(), target: undefined, name: 'ladder', targets: ['A', 'B', 'C'], count: 2 },
  features: { incomeTotal: { change: 'increase', step: 50, max: 4000 }, debtTotal: { change: 'decrease', min: 0 } },
};
const MARGIN = { ...loanPolicy(), name: 'margin', margin: 0.05 };

let api: ApiWorld;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  api = await ApiWorld.create();
  const put = (path: string, body: object) => api.call('PUT', `/v1/${path}`, { body });
  await put('models/loans', { ...loanModel(), decision: { bands: BANDS } });
  await put('models/loans', { ...loanModel(), parameters: { ...loanModel().parameters, bias: -4 } });
  for (const policy of [LADDER, MARGIN, JSON.parse(POLICY_LINE)]) await put(`policies/${policy.name}`, policy);
  browser = await openBrowser();
  page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`${api.server.address}/console`);
  await page.getByLabel('Token').fill(SECRETS.admin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'What would have had to be different' }).waitFor();
});

afterAll(async () => {
  await browser?.close();
  await api?.close();
});

/** Asks for an answer. */
async function ask(id: string, question: object): Promise<void> {
  const body = { id, model: 'loans@1', features: PERSON, ...question };
  const { status, text } = await api.call('POST', '/v1/explanations?waitMs=60000', { as: 'submit', body });
  expect(status, text).toBe(200);
}

/** Opens the answer by its address, as a person who types the address. */
async function open(id: string): Promise<void> {
  await page.evaluate(`location.hash = '#/person?id=${id}'`);
  await page.getByText(`Answer ${id} `).waitFor();
}

const reason = () => page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'Nothing has to' }) });

describe('a person who has the target', () => {
  it('is told the threshold that decides', async () => {
    await ask('has-class', { policy: 'margin', features: { ...PERSON, incomeTotal: 7000 } });
    await open('has-class');
    expect(await reason().textContent()).toContain('The threshold for “approved” is 0.60.');
    expect(await reason().textContent()).not.toContain('highest score');
  });

  it('is told the band, and where the band begins', async () => {
    await ask('has-band', { policy: 'ladder', target: 'C', features: { ...PERSON, incomeTotal: 5000 } });
    await open('has-band');
    expect(await reason().textContent()).toContain('Your score is in the band “B”. The band “C” begins at 0.50.');
    expect(await reason().textContent()).not.toContain('highest score');
  });
});

describe('several targets', () => {
  it('have plans of their own, with the score that each needs', async () => {
    await ask('ladder', { policy: 'ladder' });
    await open('ladder');
    const titles = await page.getByRole('tab').locator('strong').allTextContents();
    expect(titles.toSorted()).toEqual(['Band “B”', 'Band “B”, way 2', 'Band “C”', 'Band “C”, way 2']);
    for (const [name, needed] of [
      ['B', '0.70'],
      ['C', '0.50'],
    ]) {
      await page
        .getByRole('tab', { name: `Band “${name}”` })
        .first()
        .click();
      await page
        .getByRole('img', { name: new RegExp(`^Score now 0.20, with this plan 0.\\d\\d, needed ${needed}$`) })
        .waitFor();
    }
    const head = await page.locator('.answer-head').textContent();
    expect(head).toContain('Two ways would have led to the band “B” or a better one.');
    expect(head).toContain('Two ways would have led to the band “C” or a better one.');
  });

  it('without a plan are named with the reason', async () => {
    const others = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'Other targets' }) });
    expect(await others.textContent()).toContain('would have led to the band “A” or a better one');
    expect(await others.getByRole('listitem').count()).toBeGreaterThan(0);
    expect(await seriousFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    await page.setViewportSize({ width: 1180, height: 900 });
  });
});

describe('a decision that only lacks the margin', () => {
  it('is no rejection', async () => {
    await ask('lacks-margin', { policy: 'margin', features: { ...PERSON, incomeTotal: 3890 } });
    await open('lacks-margin');
    const head = await page.locator('.answer-head').textContent();
    expect(head).toContain('This result is reached, but not with the safety margin that our rules require.');
    expect(head).toContain('would have led to the result “approved” with the required safety margin.');
    expect(await page.locator('.answer-head .yes-badge').textContent()).toBe('approved');
    await page.getByRole('img', { name: /needed 0.65$/ }).waitFor();
  });
});

describe('an answer whose policy the registry lacks', () => {
  it('tells the threshold, and no score that the rules need', async () => {
    await ask('wishes', { policy: 'margin', overlay: { features: { debtTotal: { change: 'never' } } } });
    await open('wishes');
    await page.getByText('The registry has no policy with the digest of this answer').waitFor();
    await page.getByRole('img', { name: /threshold 0.60$/ }).waitFor();
    expect(await page.getByRole('combobox', { name: /^Policy/ }).inputValue()).toBe('margin@1');
  });
});

describe('the address', () => {
  it('opens the answer that it names, also where the page shows another', async () => {
    await open('has-class');
    await open('ladder');
    expect(await page.getByRole('combobox', { name: /^Policy/ }).inputValue()).toBe('ladder@1');
    expect(await page.getByText('Answer has-class').count()).toBe(0);
  });

  it('opens an answer again after another policy was chosen', async () => {
    await page.getByRole('combobox', { name: /^Policy/ }).selectOption('margin@1');
    await page.getByText('Answer ladder').waitFor({ state: 'detached' });
    await open('ladder');
  });

  it('of an answer that is unknown says so', async () => {
    await page.evaluate(`location.hash = '#/person?id=nobody'`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByText('Answer ladder').count()).toBe(0);
  });
});

describe('the page of models and policies', () => {
  it('asks nothing that the server refuses, also where the first policy does not fit the first model', async () => {
    const refused: string[] = [];
    page.on('response', (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`));
    await page.getByRole('link', { name: 'Data scientist' }).click();
    const editor = page.getByRole('region', { name: 'Policy editor' });
    await editor.getByText('The policy is valid.').waitFor();
    expect(await editor.getByLabel('Saved policy').inputValue()).toBe('retail-credit-simple@1');
    await editor
      .getByText(/answers found|no rows/)
      .first()
      .waitFor();
    await editor.getByLabel('Saved policy').selectOption('ladder@1');
    await editor.getByText(/^Faults: \d+$/).waitFor();
    await page.waitForTimeout(500); // longer than the pause before a comparison
    expect(refused).toEqual([]);
  });
});

describe('the values of the form', () => {
  const income = () => page.getByLabel(/^Monthly income|^Income/);

  it('stay with another policy, whether they are those of an answer or typed', async () => {
    await open('lacks-margin');
    await page.getByRole('combobox', { name: /^Policy/ }).selectOption('ladder@1');
    await page.getByText('Answer lacks-margin').waitFor({ state: 'detached' });
    expect(await income().inputValue()).toBe('3890');
    await income().fill('2345');
    await page.getByRole('combobox', { name: /^Policy/ }).selectOption('margin@1');
    await page.getByRole('button', { name: 'Make new plans' }).click();
    await page.getByText(/^Answer /).waitFor();
    expect(await income().inputValue()).toBe('2345');
  });

  it('stay with another model of the same features, and go with other features', async () => {
    await page.getByRole('combobox', { name: /^Model/ }).selectOption('loans@2');
    await page.getByText(/^Answer /).waitFor({ state: 'detached' });
    expect(await income().inputValue()).toBe('2345');
    await page.getByRole('combobox', { name: /^Model/ }).selectOption('credit@1');
    await page.locator('#field-age').waitFor();
    expect(Object.keys(exampleFeatures(api.world))).toContain('income');
    expect(await income().inputValue()).not.toBe('2345');
  });
});
