import { expect, test } from 'vitest';
import { canReceiveMail, type DomainLookup, isAuthorized } from './mail-addresses.ts';

test.each([
  ['ann@example.com', [], true],
  ['ann@example.com', ['ann@example.com'], true],
  ['Ann+any.thing@Example.com', ['ann@example.com'], true],
  ['bob@example.com', ['ann@example.com'], false],
  ['ann@example.com.evil.org', ['ann@example.com'], false],
] as const)('%s of %j: %s', (email, allowed, expected) => {
  expect(isAuthorized(email, allowed)).toBe(expected);
});

const fail = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const found: DomainLookup = {
  resolveMx: async () => [{ exchange: 'mx.acme.dev' }],
  resolve: async () => ['192.0.2.1'],
};

test.each([
  ['ann@acme.dev', found, true],
  ['ann@acme.dev', { ...found, resolveMx: fail('ENODATA') }, true],
  ['ann@acme.dev', { resolveMx: fail('ENODATA'), resolve: fail('ENOTFOUND') }, false],
  ['ann@acme.dev', { resolveMx: fail('ETIMEOUT'), resolve: fail('ENOTFOUND') }, true],
  ['ann@acme.dev', { resolveMx: fail('ENOTFOUND'), resolve: fail('ESERVFAIL') }, true],
  ['ann@example.com', found, false],
  ['ann@shop.example.com', found, true],
  ['ann@shop.test', found, false],
  ['ann@localhost', found, false],
] as const)('%s %o: %s', async (email, dns, expected) => {
  expect(await canReceiveMail(email, dns)).toBe(expected);
});
