/** Compares docs/alerts.md with the kinds of problems and the retries in the code. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { retryDelayMs } from '../../src/pages/console/alerts/core/decide.ts';
import { alertKinds } from '../../src/pages/console/alerts/core/kinds.ts';

const page = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8');

test('the page lists every kind of problem', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(([, kind, text]) => [kind, text]);
  expect(Object.fromEntries(rows)).toEqual(alertKinds);
});

test('the page lists every delay', () => {
  const [, text = ''] = /sent again after ([\d, and]+) minutes/.exec(page) ?? [];
  const minutes = text.split(/, | and /).map(Number);
  expect(minutes.map((_minute, index) => retryDelayMs(index + 1))).toEqual(
    minutes.map((each) => each * 60_000),
  );
  expect(retryDelayMs(minutes.length + 1)).toBeUndefined();
});
