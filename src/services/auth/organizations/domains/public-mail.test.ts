import { expect, test } from 'vitest';
import { parseDomain } from './public-mail.ts';

test('domains are parsed as users type them', () => {
  for (const [typed, domain] of [
    ['example.com', 'example.com'],
    [' Example.COM. ', 'example.com'],
    ['@example.com', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['a.b.example.co.uk', 'a.b.example.co.uk'],
  ] as const)
    expect(parseDomain(typed)).toEqual({ ok: true, domain });
});

test('other texts and the domains of public mail providers are rejected', () => {
  for (const typed of [
    '',
    'localhost',
    'https://example.com',
    'example.com/a',
    '127.0.0.1',
    '::1',
    'a..example.com',
    '-a.example.com',
    'ada@example.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(150)}com`,
    'exa mple.com',
    "example.com'--",
    '*.example.com',
    '_x.example.com',
    '1.2',
  ])
    expect([typed, parseDomain(typed)]).toEqual([typed, { ok: false, fault: 'format' }]);
  for (const typed of ['gmail.com', 'GMail.com.', '@outlook.com', 'web.de'])
    expect(parseDomain(typed)).toEqual({ ok: false, fault: 'public' });
});
