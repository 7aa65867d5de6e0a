import { expect, test } from 'vitest';
import { isSameOrigin, type OriginMarks } from './same-origin.ts';

const ours: OriginMarks = {
  ownHeader: '1',
  fetchSite: 'same-origin',
  origin: 'http://127.0.0.1:54321',
  host: '127.0.0.1:54321',
};

test.each<[string, Partial<OriginMarks>]>([
  ['a page of ours', {}],
  ['a browser that sends no Sec-Fetch-Site', { fetchSite: undefined }],
  ['a GET, which has no Origin', { origin: undefined }],
  ['a host written in capitals', { host: 'EXAMPLE.org', origin: 'https://example.org' }],
])('accepted: %s', (_name, change) => {
  expect(isSameOrigin({ ...ours, ...change })).toBe(true);
});

test.each<[string, Partial<OriginMarks>]>([
  ['a form of another page', { ownHeader: undefined }],
  ['another site', { fetchSite: 'cross-site' }],
  ['another port or subdomain', { fetchSite: 'same-site' }],
  ['an address typed by hand', { fetchSite: 'none' }],
  ['another origin', { origin: 'http://evil.example' }],
  ['another port', { origin: 'http://127.0.0.1:3000' }],
  ['an opaque origin', { origin: 'null' }],
])('refused: %s', (_name, change) => {
  expect(isSameOrigin({ ...ours, ...change })).toBe(false);
});
