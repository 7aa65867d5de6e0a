/**
 * Plays flows on a wide light screen and on a narrow dark one. At each state both schemes are looked at, so that every
 * state is judged in all four looks: no axe violation, nothing wider than the window.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, launchBrowser, scrollsSideways } from '../../web/browser.ts';
import { type Flow, type Look, play } from './scene.ts';
import type { World } from './world.ts';

const corners: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
];
const schemes = ['light', 'dark'] as const;

/** React has taken over the markup that was there, by the marks it leaves on elements. */
const isAwake = `Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__react'))`;

/** The page has woken up, and its styles are there. */
async function styled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(isAwake), { timeout: 10_000 }).toBe(true);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

async function judge(page: Page, state: string, first: Look['colorScheme']): Promise<void> {
  for (const colorScheme of [...schemes.filter((scheme) => scheme !== first), first]) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await styled(page);
    await expectGood(page, state, colorScheme);
  }
}

async function expectGood(page: Page, state: string, colorScheme: string): Promise<void> {
  const found = { violations: await axeViolations(page), sideways: await scrollsSideways(page) };
  expect({ state, colorScheme, ...found }).toEqual({ state, colorScheme, violations: [], sideways: false });
}

/** axe is a script itself: it looks at a twin of the page, in a window where scripts run, that has none of its own. */
async function judgeStill(page: Page, state: string): Promise<void> {
  const browser = page.context().browser() as Browser;
  const twin = await browser.newPage({ viewport: page.viewportSize() });
  const html = (await page.content()).replace(/<script[\s\S]*?<\/script>/g, '').replace(/<\/?noscript>/g, '');
  await twin.route(page.url(), (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await twin.goto(page.url());
  for (const colorScheme of schemes) {
    await twin.emulateMedia({ colorScheme });
    await expectGood(twin, state, colorScheme);
  }
  await twin.close();
}

/** A test for each flow and corner, on one server and in one browser. */
export function inFourLooks(flows: readonly Flow[], open: () => Promise<World>): void {
  let world: World;
  let browser: Browser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([open(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await world.stop();
  });

  describe.each(corners)('$colorScheme at $width px', (look) => {
    test.each(flows.map((flow) => [flow.name, flow] as const))(
      '%s',
      async (_name, flow) => {
        const onState = (page: Page, state: string) =>
          flow.isStill === true ? judgeStill(page, state) : judge(page, state, look.colorScheme);
        expect(await play(flow, { world, browser, look, onState })).toEqual([]);
      },
      120_000,
    );
  });
}
