/** Compares docs/webhooks.md with the event types, the retries and the secret's format in the code. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { typesOf, userEventTypes, webhookSecretPattern } from '../../src/base/shared/user-events.ts';
import { orderedAttempts, retryDelaysMs } from '../../src/services/auth/webhooks/schedule.ts';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const rows = (heading: string): string[][] => {
  const table = page.slice(page.indexOf(heading)).split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));
};

test('the page lists every event type', () => {
  const listed = Object.fromEntries(
    rows('| Type | When |').map(([type = '', when]) => [type.replaceAll('`', ''), when]),
  );
  expect(listed).toEqual(userEventTypes);
});

test('the page lists every delay', () => {
  const units: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };
  const delays = rows('| Attempt | Delay').map(([, text = '']) => {
    const [count, unit = ''] = text.split(' ');
    return Number(count) * (units[unit.replace(/s$/, '')] ?? Number.NaN);
  });
  expect(delays).toEqual(retryDelaysMs);
  expect(orderedAttempts).toBe(4);
});

test('patterns match the types of a subject, and unknown ones match nothing', () => {
  expect(typesOf('session.*')).toEqual(['session.created', 'session.ended']);
  expect(typesOf('*')).toEqual(Object.keys(userEventTypes));
  expect(typesOf('user.crated')).toEqual([]);
  expect(typesOf('use*')).toEqual([]);
});

test('a secret has at least 24 random bytes', () => {
  const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  for (const bytes of [24, 32, 64]) expect(secretOf(bytes)).toMatch(webhookSecretPattern);
  for (const text of [secretOf(20), secretOf(70), 'whsec_', `v1,${secretOf(32)}`])
    expect(text).not.toMatch(webhookSecretPattern);
});
