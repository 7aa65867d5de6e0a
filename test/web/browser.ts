/**
 * A real Chromium for tests: the system's, or the one that `scripts/test.mjs` has found or installed (CHROME_PATH
 * names it). None at all is a failure, never a skip.
 */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

const candidates = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export function findChromium(): string {
  const found = candidates.find((path) => path !== undefined && existsSync(path));
  if (found === undefined) {
    throw new Error(
      'These tests need Chromium. Install it (apt-get install chromium), or name it in CHROME_PATH.',
    );
  }
  return found;
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** What a page complained of: nothing may be refused by the content security policy, and no script may fail. */
export interface Complaints {
  readonly list: string[];
}

export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; complaints: Complaints }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(15_000);
  const complaints: Complaints = { list: [] };
  context.on('weberror', (error) => complaints.list.push(String(error.error())));
  context.on('console', (message) => {
    // The browser itself writes a line for every answer of 4xx, expected ones included.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.list.push(message.text());
    }
  });
  return { context, complaints };
}

export interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly targets: readonly string[];
}

let axeSource: string | undefined;

/** How long a page may go on rendering before it is judged for good. */
const settlingMs = 5000;

/** WCAG 2.2 AA and best practice. A page that is still rendering is looked at again: a violation is what stays. */
export async function axeViolations(page: Page): Promise<AxeViolation[]> {
  const until = performance.now() + settlingMs;
  for (;;) {
    const found = await violationsNow(page);
    if (found.length === 0 || performance.now() > until) return found;
    await page.waitForTimeout(250);
  }
}

async function violationsNow(page: Page): Promise<AxeViolation[]> {
  axeSource ??= (await import('axe-core')).default.source;
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          root: unknown,
          options: object,
        ): Promise<{ violations: { id: string; help: string; nodes: { target: string[] }[] }[] }>;
      };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const root = (globalThis as unknown as { document: unknown }).document;
    const { violations } = await axe.run(root, { runOnly: tags });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      targets: nodes.map((node) => node.target.join(' ')),
    }));
  });
}

/** True when the page is wider than the window. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
