import { expect, test } from 'vitest';
import { external } from '../../../platform/config/schema/auth-providers.ts';
import { customProvider, knownProvider } from './providers.ts';

const all = Object.keys(external.fields).flatMap((id) => knownProvider(id) ?? []);

test('every provider in the configuration has a name and a separate icon', () => {
  expect(all.map(({ id }) => id)).toEqual(Object.keys(external.fields));
  expect(new Set(all.map(({ mark }) => mark)).size).toBe(all.length);
});

test('an icon doesn’t load or run anything', () => {
  const custom = customProvider('custom:x', '"><script>alert(1)</script>');
  for (const { mark } of [...all, custom]) {
    expect(mark).not.toMatch(/href|url\(|<script|<image|\son/i);
    expect(mark).toMatch(/^<svg viewBox="0 0 24 24" [^>]*aria-hidden="true"[^>]*>.*<\/svg>$/);
  }
});

test.each([
  ['Acme', 'Ac'],
  ['acme id', 'Ai'],
  ['Ö', 'Ö'],
  ['', '?'],
])('a custom provider %j has the letters %s', (name, initials) => {
  expect(customProvider('custom:idp', name).mark).toContain(`>${initials}</text>`);
});
