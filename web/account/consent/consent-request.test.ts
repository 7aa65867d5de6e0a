import { expect, test } from 'vitest';
import { activateLocale, addMessages } from '../../lib/i18n.ts';
import { messages } from '../../locales/en/consent.ts';
import { appName, destinationOf, permissionsOf } from './consent-request.ts';

addMessages('en', messages);
activateLocale('en');

test('app names are shortened and can’t reverse the surrounding text', () => {
  expect(appName('Herbarium')).toBe('Herbarium');
  expect(appName('\u202eelgooG\u202c\n')).toBe('elgooG');
  expect(appName(' \u200b ')).toBe('An unnamed app');
  expect(Array.from(appName('👩'.repeat(80)))).toHaveLength(60);
});

test('the destination is a host or the identifier of an app on the device', () => {
  expect(destinationOf('https://app.example:8443/cb?x=1')).toBe('app.example:8443');
  expect(destinationOf('http://localhost@evil.example/')).toBe('evil.example');
  expect(destinationOf('myapp://bank.example/cb')).not.toContain('bank.example');
});

test('permissions that every token includes are listed, regardless of the scopes', () => {
  expect(permissionsOf([], 'Meadow')).toHaveLength(2);
  expect(permissionsOf(['openid', 'email', 'profile', 'phone', 'offline_access'], 'Meadow')).toHaveLength(6);
});
