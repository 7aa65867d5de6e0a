import { expect, test } from 'vitest';
import { standardClaims } from './catalog/id-token-profiles.ts';
import { applyClaimRules } from './custom-claims.ts';

const raw = {
  sub: 's1',
  id: 7,
  login: 'ann',
  email: 'a@x.com',
  email_verified: true,
  groups: ['staff'],
  role: 'x',
};
const claims = standardClaims(raw);
const apply = (attributeMapping = {}, customClaims: string[] = []) =>
  applyClaimRules(claims, raw, { attributeMapping, customClaims });

test('without rules, only standard claims are kept', () => {
  expect(apply()).toEqual({ sub: 's1', email: 'a@x.com', email_verified: true });
});

test('names from the provider replace standard ones, and other values are used literally', () => {
  expect(
    apply({ sub: 'id', preferred_username: 'login', name: 'missing', picture: 'email', zoneinfo: 3 }),
  ).toEqual({
    sub: '7',
    preferred_username: 'ann',
    picture: 'a@x.com',
    email: 'a@x.com',
    email_verified: true,
  });
});

test('a value that isn’t a claim isn’t mapped', () => {
  expect(apply({ role: 'login', app_metadata: 'login', anything: 'login' })).toEqual(apply());
});

test('additional claims are kept unchanged if their names are listed', () => {
  expect(apply({}, ['groups', 'missing', 'constructor'])).toEqual({
    ...apply(),
    custom_claims: { groups: ['staff'] },
  });
});
