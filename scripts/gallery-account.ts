/**
 * Every Account page and state as pictures to look at: the flows that the tests play by keyboard (test/account/keyboard),
 * each state photographed light and dark, 1280 and 360 px wide, in English and Arabic. Nothing of it is kept in the
 * repository.
 *
 *   npm run build && node scripts/gallery-account.ts [FOLDER] [PART OF A FLOW'S NAME]
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { stopTestCluster } from '../src/testing.ts';
import { onConsent } from '../test/account/keyboard/flows/consent.ts';
import { guests } from '../test/account/keyboard/flows/guests.ts';
import { withoutScripts } from '../test/account/keyboard/flows/no-scripts.ts';
import { onTheSecurityPage } from '../test/account/keyboard/flows/security.ts';
import { waysIn } from '../test/account/keyboard/flows/sign-in.ts';
import { type Look, play } from '../test/account/keyboard/scene.ts';
import { openWorld } from '../test/account/keyboard/world.ts';
import { launchBrowser } from '../test/web/browser.ts';

const [folder = 'gallery-account', wanted = ''] = process.argv.slice(2);
const flows = [...waysIn, ...guests, ...onTheSecurityPage, ...onConsent, ...withoutScripts].filter(
  ({ name }) => name.includes(wanted),
);
const widths = [1280, 360] as const;

/** Both schemes of what is there now. */
async function shoot(page: Page, state: string, language: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const name = `${state.replace(/\W+/g, '-')}-${language}-${colorScheme}-${page.viewportSize()?.width}.png`;
    await page.screenshot({ path: `${folder}/${name}`, fullPage: true, animations: 'disabled' });
  }
}

mkdirSync(folder, { recursive: true });
const world = await openWorld();
const browser = await launchBrowser();
let isWhole = true;
try {
  for (const language of ['en', 'ar'] as const) {
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
  await browser.close();
  await world.stop();
  await stopTestCluster();
}
console.log(`the pictures are in ${folder}`);
if (!isWhole) process.exitCode = 1;
