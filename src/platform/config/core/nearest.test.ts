import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test.each([
  ['enable_sginup', 'enable_signup'],
  ['prot', 'port'],
  ['Port', 'port'],
  ['site_ur', 'site_url'],
  ['zzzzzz', undefined],
  ['', undefined],
])('%s: %s', (name, meant) => {
  expect(nearest(name, ['enable_signup', 'port', 'site_url'])).toBe(meant);
});
