/** Tests that the walker reports why the focus isn't visible. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../web/browser.ts';
import { createWalker } from './walker.ts';

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
});
afterAll(() => browser.close());

const style = '<style>:focus { outline: 2px solid }</style>';

/**
 * A script that runs as soon as the walker waits for the next frame. In the script, `button` is the page's button, and
 * `other` is a copy of it.
 */
const onNextFrame = (work: string): string => `<script>{
  const next = requestAnimationFrame;
  const button = document.querySelector('button');
  const other = button.cloneNode(true);
  window.requestAnimationFrame = (draw) => {
    if (button.isConnected) { ${work} }
    return next(draw);
  };
}</script>`;

/** Moves the focus to a page's "Save" button. */
async function press(html: string): Promise<void> {
  await page.setContent(html);
  const walker = await createWalker(page, () => true);
  await walker.press('Save', 'button');
}

test.each([
  [
    'a button without an outline',
    '<button style="outline: none">Save</button>',
    '<button> "Save" has no outline',
  ],
  [
    'a covered button',
    `${style}<button>Save</button><div id="notice" style="position: fixed; inset: 0">Done</div>`,
    '<button> "Save" is covered by <div#notice> "Done"',
  ],
  [
    'a button outside the window',
    `${style}<button style="position: fixed; top: -200px">Save</button>`,
    '<button> "Save" is outside the window, at y = -200',
  ],
  [
    'a button that is removed during the check',
    `<button style="outline: none">Save</button>${onNextFrame('button.remove()')}`,
    '<button> "Save" was removed and lost the focus',
  ],
])('%s', async (_name, html, reason) => {
  await expect(press(html)).rejects.toThrow(reason);
});

test('a button whose replacement gets focus', async () => {
  const replace = 'button.replaceWith(other); other.style = "outline: 2px solid"; other.focus()';
  await press(`<main><button style="outline: none">Save</button></main>${onNextFrame(replace)}`);
});
