import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scopeOf } from './address-scope.ts';

test.each([
  ['8.8.8.8', 'public'],
  ['172.15.255.255', 'public'],
  ['172.16.0.1', 'private'],
  ['172.32.0.1', 'public'],
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'private'],
  ['192.168.0.1', 'private'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['224.0.0.1', 'multicast'],
  ['255.255.255.255', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['fd00:ec2::254', 'private'],
  ['ff02::1', 'multicast'],
  ['2606:4700::1111', 'public'],
  ['2001:db8::1', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:169.254.169.254', 'link-local'],
  ['::ffff:8.8.8.8', 'public'],
  ['::127.0.0.1', 'loopback'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['64:ff9b::8.8.8.8', 'public'],
  ['2002:7f00:1::', 'loopback'],
  ['2002:808:808::', 'public'],
  ['localhost', 'reserved'],
  ['', 'reserved'],
])('%s has the scope %s', (address, scope) => {
  expect(scopeOf(address)).toBe(scope);
});

test('an IPv4 address has the same scope when it is embedded in an IPv6 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(scopeOf(`::ffff:${address}`)).toBe(scopeOf(address));
      expect(scopeOf(`64:ff9b::${address}`)).toBe(scopeOf(address));
    }),
  );
});
