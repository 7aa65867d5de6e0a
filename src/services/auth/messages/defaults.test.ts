import { expect, test } from 'vitest';
import { smsText } from './defaults.ts';

const message = {
  code: '123456',
  name: 'Harbor',
  pageLanguage: 'en',
  pageUrl: 'https://auth.example:8443/account',
};

test('a message contains the project name and ends with the line for browsers', () => {
  expect(smsText(message)).toBe('123456 is your Harbor code. Never share it.\n\n@auth.example #123456');
});

test('in Arabic', () => {
  expect(smsText({ ...message, pageLanguage: 'ar' })).toBe(
    '123456 هو رمزك في Harbor. لا تشاركه مع أي شخص.\n\n@auth.example #123456',
  );
});

test.each(['http://127.0.0.1:54321/account', 'http://[::1]:54321/account'])(
  'a message has no such line at %s, because the line requires a domain',
  (pageUrl) => {
    expect(smsText({ ...message, pageUrl })).toBe('123456 is your Harbor code. Never share it.');
  },
);
