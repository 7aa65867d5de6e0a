import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostOf, parseFlow } from './flow.ts';
import { checkPassword, deviceOf, digitsOf, isGoodPassword, looksLikeEmail } from './form/fields.ts';

describe('the flow’s parameters', () => {
  test('contain what the app requested, and nothing else', () => {
    const challenge = 'a'.repeat(43);
    const flow = parseFlow(
      `?redirect_to=https%3A%2F%2Fapp.example%2Fx&code_challenge=${challenge}&code_challenge_method=s256&evil=1&email=a@b.c`,
    );
    expect(flow).toMatchObject({ redirectTo: 'https://app.example/x', codeChallenge: challenge });
    expect(flow.search).toBe(
      `?redirect_to=https%3A%2F%2Fapp.example%2Fx&code_challenge=${challenge}&code_challenge_method=s256`,
    );
    expect(parseFlow(flow.search)).toEqual(flow);
  });

  test('allow only Account pages as the next page', () => {
    expect(parseFlow('?next=security').next).toBe('security');
    for (const next of ['//evil.example', 'https://evil.example', '../x', 'constructor']) {
      expect(parseFlow(`?next=${encodeURIComponent(next)}`).next).toBeUndefined();
    }
  });

  test('name the app’s host, or nothing if the URL has no host', () => {
    expect(hostOf('https://app.example:8443/x')).toBe('app.example:8443');
    expect(hostOf('myapp://callback')).toBe('myapp');
    expect(hostOf('com.example.app:/callback')).toBe('com.example.app');
    expect(hostOf('javascript:alert(1)')).toBeUndefined();
    expect(hostOf('nonsense')).toBeUndefined();
    expect(hostOf(undefined)).toBeUndefined();
  });

  test('are stable for every query', () => {
    fc.assert(
      fc.property(fc.string(), (search) => {
        const flow = parseFlow(search);
        expect(parseFlow(flow.search)).toEqual(flow);
      }),
    );
  });
});

describe('form fields', () => {
  test.each(['a@b.co', "o'neil+x@mail.example.org"])('%s is a valid address', (text) => {
    expect(looksLikeEmail(text)).toBe(true);
  });

  test.each(['', 'a', 'a@b', '@b.co', 'a b@c.de', 'a@b.', 'a@@b.co'])(
    '"%s" isn’t a valid address',
    (text) => {
      expect(looksLikeEmail(text)).toBe(false);
    },
  );

  test('digits are extracted from pasted text', () => {
    expect(digitsOf('Your code: 123 456.', 6)).toBe('123456');
    expect(digitsOf('1234567', 6)).toBe('123456');
    expect(digitsOf('٠١٢٣٤ ٩', 6)).toBe('012349');
    expect(digitsOf('۰۱۲۳۴۹', 6)).toBe('012349');
  });

  test('password rules are the same as the service’s', () => {
    const policy = { minLength: 8, requirements: 'lower_upper_letters_digits_symbols' };
    expect(checkPassword('aB1', policy)).toEqual([
      { rule: 'length', met: false },
      { rule: 'lower', met: true },
      { rule: 'upper', met: true },
      { rule: 'digit', met: true },
      { rule: 'symbol', met: false },
    ]);
    expect(isGoodPassword('aB1!aB1!', policy)).toBe(true);
    expect(isGoodPassword('ééé', { minLength: 6, requirements: '' })).toBe(true);
  });

  test('user agents are shown as devices', () => {
    const chromeOnWindows =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    expect(deviceOf(chromeOnWindows)).toEqual({ browser: 'Chrome', system: 'Windows' });
    expect(deviceOf(`${chromeOnWindows} Edg/140.0.0.0`)).toEqual({ browser: 'Edge', system: 'Windows' });
    expect(deviceOf('node')).toBeUndefined();
    expect(deviceOf(null)).toBeUndefined();
  });
});
