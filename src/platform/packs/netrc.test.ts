import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyHost, parseNetrc } from './netrc.ts';

test('entries of several hosts, in one line or several', () => {
  const logins = parseNetrc(`# company
machine pypi.example login ada password "se cr\\"et" # comment
machine OTHER.example
  user bob
  account staff
  password p#a\\ ss

macdef init
login x
machine not.example login no password no

machine third.example account only password 3
machine pypi.example login second password second
default login any password thing`);
  expect(Object.fromEntries(logins)).toEqual({
    'pypi.example': { login: 'ada', password: 'se cr"et' },
    'other.example': { login: 'bob', password: 'p#a ss' },
    'third.example': { login: 'only', password: '3' },
    [anyHost]: { login: 'any', password: 'thing' },
  });
});

test.each(['', 'machine', 'unknown words', 'machine a login b passwort c', '"'])(
  '%j has no logins',
  (text) => {
    expect([...parseNetrc(text)]).toEqual([]);
  },
);

test('any text is parsed, and a login that was written is read again', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseNetrc(text)).toBeInstanceOf(Map);
    }),
  );
  const word = fc.string({ minLength: 1 }).filter((value) => !value.includes('\0'));
  const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  fc.assert(
    fc.property(word, word, (login, password) => {
      const text = `machine h login ${quoted(login)} password ${quoted(password)}`;
      expect(parseNetrc(text).get('h')).toEqual({ login, password });
    }),
  );
});
