/**
 * Measures the first load of each Account page that doesn't require a session, with all sign-in methods enabled. Prints
 * the transferred size, and the largest contentful paint and layout shift that a real browser reports. Scripts are
 * compressed with Brotli, which is how browsers receive them, and all other files with gzip. Each page is loaded once
 * without throttling and once with the throttling of a slow phone (1.6 Mbit/s, 150 ms round trip, CPU 4x slower).
 *
 *     node bench/account.ts [--rounds 3] [--lang ar]
 */
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { createTestBackend, stopTestCluster } from '../src/entry/testing.ts';
import { launchOwnBrowser } from '../test/web/browser.ts';
import { buildPlinth } from './build.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, lang: { type: 'string', default: 'en' } },
});
/** The query parameters that apps add to links to the Account pages. */
const appUrl = 'https://app.example/callback';
const fromApp = `redirect_to=${encodeURIComponent(appUrl)}&code_challenge=${'a'.repeat(43)}`;
const pages = [
  `sign-in?${fromApp}`,
  `sign-up?${fromApp}`,
  `guest?${fromApp}`,
  'code',
  'recover',
  'sso',
  `confirm?type=signup&token=${'0'.repeat(56)}`,
  'confirm-other',
  'continue',
  'link-expired',
  'signed-out',
  'error',
];
const kib = 1024;
/** The limits. Sizes are in KiB after compression, and times are in milliseconds. The layout shift has no unit. */
const bars = { html: 16, css: 12, js: 110, throttledLcp: 1000, lcp: 150, shift: 0.02 } as const;

interface Load {
  /**
   * Sizes in KiB: of the HTML including its style sheet, of the style sheet alone, and of all scripts that are loaded
   * before the network is idle.
   */
  readonly html: number;
  readonly css: number;
  readonly js: number;
  readonly lcp: number;
  readonly shift: number;
}

/** This code runs in the page. It returns the largest contentful paint and the sum of all layout shifts. */
const vitals = `new Promise((resolve) => {
  let lcp = 0;
  let shift = 0;
  new PerformanceObserver((list) => { lcp = list.getEntries().at(-1).startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value; })
    .observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve({ lcp, shift }), 200);
})`;

async function throttle(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const bytesPerSecond = (1.6 * 1000 * 1000) / 8;
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** Loads a page with an empty cache. */
async function load(browser: Browser, url: string, isThrottled: boolean): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 412, height: 823 }, deviceScaleFactor: 1 });
  const page = await context.newPage();
  if (isThrottled) await throttle(page);
  const scripts: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.url().endsWith('.js')) scripts.push(request.sizes().then((sizes) => sizes.responseBodySize));
  });
  const response = await page.goto(url, { waitUntil: 'networkidle' });
  const whole = (await response?.text()) ?? '';
  const sheets = [...whole.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, css]) => css).join('');
  const { lcp, shift } = (await page.evaluate(vitals)) as { lcp: number; shift: number };
  const js = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return { html: gzipSync(whole).length / kib, css: gzipSync(sheets).length / kib, js: js / kib, lcp, shift };
}

const median = (numbers: number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** All sign-in methods are enabled, so that the pages have their maximum content. */
const provider = { enabled: true, client_id: 'id', secret: 'secret' };
buildPlinth();
const backend = await createTestBackend({
  passwordCost: 'production',
  config: {
    auth: {
      additional_redirect_urls: [appUrl],
      enable_anonymous_sign_ins: true,
      sms: { enable_signup: true },
      passkey: { enabled: true },
      webauthn: { rp_id: 'localhost', rp_origins: ['http://localhost:3000'] },
      external: { apple: provider, github: provider, google: provider },
    },
  },
});
const browser = await launchOwnBrowser();
let isWithin = true;
const comparison = (value: number, bar: number, unit: string, digits = 1): string => {
  if (value > bar) isWithin = false;
  return `${value.toFixed(digits)}${unit}${value > bar ? ` (over ${bar})` : ''}`;
};
try {
  const rounds = Array.from({ length: Number(values.rounds) });
  for (const name of pages) {
    const url = `${backend.url}/account/${name}${name.includes('?') ? '&' : '?'}lang=${values.lang}`;
    const quick: Load[] = [];
    const slow: Load[] = [];
    for (const _ of rounds) {
      quick.push(await load(browser, url, false));
      slow.push(await load(browser, url, true));
    }
    const of = (loads: Load[], key: keyof Load) => median(loads.map((one) => one[key]));
    const shift = Math.max(...[...quick, ...slow].map((one) => one.shift));
    console.log(
      [
        name.replace(/\?.*/, '').padEnd(13),
        `JS ${comparison(of(quick, 'js'), bars.js, ' KiB')}`,
        `CSS ${comparison(of(quick, 'css'), bars.css, ' KiB')}`,
        `HTML ${comparison(of(quick, 'html'), bars.html, ' KiB')}`,
        `LCP ${comparison(of(quick, 'lcp'), bars.lcp, ' ms', 0)}`,
        `throttled ${comparison(of(slow, 'lcp'), bars.throttledLcp, ' ms', 0)}`,
        `CLS ${comparison(shift, bars.shift, '', 4)}`,
      ].join('   '),
    );
  }
} finally {
  await browser.close();
  await backend.stop();
  await stopTestCluster();
}
console.log(isWithin ? 'All values are within the limits.' : 'Some values exceed the limits.');
