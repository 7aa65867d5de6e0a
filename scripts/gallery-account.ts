/**
 * Takes screenshots of every Account page in every state. Runs the user flows of the keyboard tests
 * (test/account/keyboard). Captures each state in both color schemes, at widths of 1280 and 360 px, in English and
 * Arabic. The screenshots aren't stored in the repository.
 *
 *   npm run build && node scripts/gallery-account.ts [FOLDER] [PART OF A FLOW'S NAME] [en|ar] [WIDTH]
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { stopTestCluster } from '../src/entry/testing.ts';
import { captchaInternet } from '../test/account/keyboard/captcha-internet.ts';
import { withApiKeys } from '../test/account/keyboard/flows/api-keys.ts';
import { onConsent } from '../test/account/keyboard/flows/consent.ts';
import { guests } from '../test/account/keyboard/flows/guests.ts';
import { withoutScripts } from '../test/account/keyboard/flows/no-scripts.ts';
import { fromOutside } from '../test/account/keyboard/flows/notices.ts';
import { underRules } from '../test/account/keyboard/flows/rules.ts';
import { onTheSecurityPage } from '../test/account/keyboard/flows/security.ts';
import { waysIn } from '../test/account/keyboard/flows/sign-in.ts';
import { inTrouble } from '../test/account/keyboard/flows/trouble.ts';
import { type Flow, type Look, play } from '../test/account/keyboard/scene.ts';
import { openStrictWorld, openWorld, type World } from '../test/account/keyboard/world.ts';
import { launchOwnBrowser } from '../test/web/browser.ts';

const [folder = 'gallery-account', wanted = '', onlyLanguage, onlyWidth] = process.argv.slice(2);
const languages = (['en', 'ar'] as const).filter((language) => language === (onlyLanguage ?? language));
const widths = onlyWidth === undefined ? [1280, 360] : [Number(onlyWidth)];

/** The maximum time to wait until a page is idle. A page never becomes idle while it waits for a response. */
const restMs = 2000;

/** Takes a screenshot of the current state in both color schemes. */
async function shoot(page: Page, state: string, language: string): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: restMs }).catch(() => undefined);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    // Pages that the server renders choose the color scheme only when the browser loads them.
    await page
      .locator('html[data-mantine-color-scheme]')
      .evaluateAll(
        (roots, scheme) => roots[0]?.setAttribute('data-mantine-color-scheme', scheme),
        colorScheme,
      );
    const name = `${state.replace(/\W+/g, '-')}-${language}-${colorScheme}-${page.viewportSize()?.width}.png`;
    await page.screenshot({ path: `${folder}/${name}`, fullPage: true, animations: 'disabled' });
  }
}

const browser = await launchOwnBrowser();
let isWhole = true;

/** Runs the flows in every language and at every width. */
async function photograph(all: readonly Flow[], open: () => Promise<World>): Promise<void> {
  const flows = all.filter(({ name }) => name.includes(wanted));
  if (flows.length === 0) return;
  const world = await open();
  try {
    for (const language of languages) {
      for (const width of widths) {
        for (const flow of flows) {
          const look: Look = { colorScheme: 'light', width };
          const onState = (page: Page, state: string) => shoot(page, state, language);
          try {
            await play(flow, { world, browser, look, language, onState });
          } catch (error) {
            isWhole = false;
            console.error(`${language}, ${width} px, ${flow.name}: ${error}`);
          }
        }
      }
    }
  } finally {
    await world.stop();
  }
}

mkdirSync(folder, { recursive: true });
const internet = await captchaInternet();
try {
  await photograph(
    [
      ...waysIn,
      ...guests,
      ...onTheSecurityPage,
      ...withApiKeys,
      ...onConsent,
      ...inTrouble,
      ...fromOutside,
      ...withoutScripts,
    ],
    openWorld,
  );
  await photograph(underRules, () => openStrictWorld(internet.outgoing));
} finally {
  await browser.close();
  await internet.stop();
  await stopTestCluster();
}
console.log(`The screenshots are in ${folder}.`);
if (!isWhole) process.exitCode = 1;
