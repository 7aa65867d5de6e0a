/**
 * Every flow of the Account pages by keyboard alone, in a real Chromium against the real server. Each is played on a wide
 * light screen and on a narrow dark one; at each state both schemes are looked at, so that every state is judged in all
 * four looks.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, launchBrowser, scrollsSideways } from '../web/browser.ts';
import { waysIn } from './keyboard/flows/sign-in.ts';
import { type Look, play } from './keyboard/scene.ts';
import { openWorld, type World } from './keyboard/world.ts';

let world: World;
let browser: Browser;

beforeAll(async () => {
  [world, browser] = await Promise.all([openWorld(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const corners: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
];
const schemes = ['light', 'dark'] as const;

/** The page has woken up, and its styles are there. */
const styled = `new Promise((resolve) => {
  const look = () => (window.plinthReady ? requestAnimationFrame(() => requestAnimationFrame(resolve)) : setTimeout(look, 10));
  look();
})`;

async function judge(page: Page, state: string, first: Look['colorScheme']): Promise<void> {
  for (const colorScheme of [...schemes.filter((scheme) => scheme !== first), first]) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await page.evaluate(styled);
    const found = { violations: await axeViolations(page), sideways: await scrollsSideways(page) };
    expect({ state, colorScheme, ...found }).toEqual({ state, colorScheme, violations: [], sideways: false });
  }
}

describe.each(corners)('$colorScheme at $width px', (look) => {
  test.each(waysIn.map((flow) => [flow.name, flow] as const))(
    '%s',
    async (_name, flow) => {
      const onState = (page: Page, state: string) => judge(page, state, look.colorScheme);
      expect(await play(flow, { world, browser, look, onState })).toEqual([]);
    },
    90_000,
  );
});
