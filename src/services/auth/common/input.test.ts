import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseGoDuration } from '../../../base/shared/go-duration.ts';
import { AuthError } from '../errors.ts';
import { htmlToText } from '../messages/html-to-text.ts';
import { actionLink } from '../messages/links.ts';
import { passwordFault, requiredSets } from '../passwords/rules.ts';
import { barePhone, parseEmail, parsePhone } from './contact.ts';
import { parseFields } from './fields.ts';
import { mergeMetadata, sortKeys } from './json.ts';
import { linkHeader, parsePage } from './pagination.ts';
import { checkVerifier, hashMatches, parseChallenge } from './pkce.ts';
import { toMs, toRfc3339 } from './times.ts';

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AuthError) return error.code;
    throw error;
  }
};

test('email addresses', () => {
  expect(parseEmail('A.B+c@Example.COM')).toBe('a.b+c@example.com');
  for (const bad of [
    '',
    'a',
    'a@',
    '@b',
    'a b@c.de',
    'a@b..c',
    'a@b c',
    'a\r\nBcc: x@y.z@b.c',
    `${'a'.repeat(250)}@b.cde`,
  ]) {
    expect(codeOf(() => parseEmail(bad))).toBe('validation_failed');
  }
  fc.assert(
    fc.property(fc.string(), (text) =>
      [undefined, 'validation_failed'].includes(codeOf(() => parseEmail(text))),
    ),
  );
});

test('phone numbers', () => {
  expect(parsePhone('+1 555 123 4567')).toBe('15551234567');
  expect(barePhone('+49 1')).toBe('491');
  for (const bad of ['', '+', '0123', '1', '1234567890123456', '12a4', '++12']) {
    expect(codeOf(() => parsePhone(bad))).toBe('validation_failed');
  }
});

describe('bodies', () => {
  test('request bodies', () => {
    const fields = parseFields('{"a":"x","b":null,"c":true,"d":{"e":1},"l":["x"],"__proto__":{"p":"q"}}');
    expect(fields.text('a')).toBe('x');
    expect(fields.text('b')).toBe('');
    expect(fields.text('p')).toBe('');
    expect(fields.text('toString')).toBe('');
    expect(fields.optionalText('b')).toBeUndefined();
    expect(fields.flag('c')).toBe(true);
    expect(fields.flag('missing', true)).toBe(true);
    expect(fields.object('d')).toEqual({ e: 1 });
    expect(fields.list('l')).toEqual(['x']);
    expect(parseFields('null').text('a')).toBe('');
  });

  test.each(['', '{', '[]', '"x"', '1'])('%s is invalid JSON', (body) => {
    expect(codeOf(() => parseFields(body))).toBe('bad_json');
  });

  test('wrong types are rejected as invalid JSON', () => {
    const fields = parseFields('{"a":1,"b":[]}');
    expect(codeOf(() => fields.text('a'))).toBe('bad_json');
    expect(codeOf(() => fields.flag('a'))).toBe('bad_json');
    expect(codeOf(() => fields.object('b'))).toBe('bad_json');
  });
});

test('metadata is merged at the top level, and null removes a key', () => {
  expect(mergeMetadata({ a: 1, b: { c: 1 } }, { a: null, b: { d: 2 } })).toEqual({ b: { d: 2 } });
  expect(mergeMetadata(null, { a: 1 })).toEqual({ a: 1 });
  expect(JSON.stringify(sortKeys({ b: [{ z: 1, y: 2 }], a: null }))).toBe('{"a":null,"b":[{"y":2,"z":1}]}');
});

describe('passwords', () => {
  const strict = { minLength: 8, requiredSets: requiredSets('lower_upper_letters_digits_symbols') };
  test('rejections list the missing character types', () => {
    expect(passwordFault('aB3$aB3$', strict)).toBeUndefined();
    expect(passwordFault('ab', strict)?.weakPasswordReasons).toEqual(['length', 'characters']);
    expect(
      passwordFault('abcdefgh1', { minLength: 6, requiredSets: requiredSets('letters_digits') }),
    ).toBeUndefined();
    expect(passwordFault('short', { minLength: 6, requiredSets: [] })?.message).toBe(
      'Password should be at least 6 characters.',
    );
  });
  test('are limited to 72 bytes', () => {
    expect(codeOf(() => passwordFault('ä'.repeat(37), strict))).toBe('validation_failed');
  });
});

describe('PKCE', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  test('matches the example in RFC 7636, appendix B', () => {
    const challenge = parseChallenge(codeChallenge, 'S256');
    expect(challenge).toEqual({ codeChallenge, method: 's256' });
    if (!challenge) return;
    expect(codeOf(() => checkVerifier(challenge, verifier))).toBeUndefined();
    expect(codeOf(() => checkVerifier(challenge, `${verifier}x`))).toBe('bad_code_verifier');
    expect(
      codeOf(() => checkVerifier({ codeChallenge: verifier, method: 'plain' }, verifier)),
    ).toBeUndefined();
  });
  test.each([
    [codeChallenge, ''],
    ['', 's256'],
    ['short', 's256'],
    [codeChallenge, 'md5'],
    [`${codeChallenge}!`, 's256'],
    ['x'.repeat(129), 's256'],
  ])('%s with method %s is rejected', (challenge, method) => {
    expect(codeOf(() => parseChallenge(challenge, method))).toBe('validation_failed');
  });
  test('typed codes match with and without the prefix', () => {
    expect(hashMatches('abc', 'abc')).toBe(true);
    expect(hashMatches('abc', 'pkce_abc')).toBe(true);
    expect(hashMatches('pkce_abc', 'abc')).toBe(false);
  });
});

describe('times', () => {
  test('PostgreSQL times are converted to RFC 3339', () => {
    expect(toRfc3339('2026-01-02 03:04:05.678901+00')).toBe('2026-01-02T03:04:05.678901Z');
    expect(toRfc3339('2026-01-02T03:04:05+00:00')).toBe('2026-01-02T03:04:05Z');
    expect(toRfc3339('2026-01-02 03:04:05')).toBe('2026-01-02T03:04:05Z');
    // These are the format that JavaScript produces and the format that PostgreSQL produces.
    expect(toRfc3339('2026-01-02T03:04:05.630Z')).toBe('2026-01-02T03:04:05.63Z');
    expect(toRfc3339('2026-01-02T03:04:00.000Z')).toBe('2026-01-02T03:04:00Z');
    expect(toMs('1970-01-01 00:00:01.5+00')).toBe(1500);
  });
  test.each([
    ['1h30m', 5_400_000],
    ['24h', 86_400_000],
    ['-1.5s', -1500],
    ['0', 0],
    ['1ms', 1],
    ['300', undefined],
    ['none', undefined],
    ['1d', undefined],
    ['', undefined],
    ['9999999999h', undefined],
  ])('%s is %s ms', (text, ms) => {
    expect(parseGoDuration(text)).toBe(ms);
  });
});

test('pages have a Link header', () => {
  const query = new URLSearchParams('per_page=2&filter=a b');
  const page = parsePage(query);
  expect(page).toEqual({ page: 1, perPage: 2 });
  expect(linkHeader('/admin/users', query, page, 5)).toBe(
    '</admin/users?filter=a+b&page=2&per_page=2>; rel="next", </admin/users?filter=a+b&page=3&per_page=2>; rel="last"',
  );
  expect(linkHeader('/admin/users', query, { page: 3, perPage: 2 }, 5)).not.toContain('next');
  for (const bad of ['x', '-1', '1.5', '1e3']) {
    expect(codeOf(() => parsePage(new URLSearchParams({ page: bad })))).toBe('validation_failed');
  }
});

test('links contain their target, encoded only where necessary', () => {
  expect(actionLink('http://x/auth/v1/', { hash: 'abc', type: 'signup', redirectTo: 'http://y/z' })).toBe(
    'http://x/auth/v1/verify?token=abc&type=signup&redirect_to=http://y/z',
  );
  expect(actionLink('http://x', { hash: 'abc', type: 'invite', redirectTo: 'http://y/?a=b' })).toBe(
    'http://x/verify?token=abc&type=invite&redirect_to=http%3A%2F%2Fy%2F%3Fa%3Db',
  );
});

test('HTML is converted to readable text', () => {
  const html =
    '<head><title>x</title></head><h2>Hi &amp; hello</h2>\n<p>Use <b>123</b>:<br><a href="http://x/?a=1&amp;b=2">Go</a></p><ul><li>one<li>two</ul>';
  expect(htmlToText(html)).toBe('Hi & hello\n\nUse 123:\nGo: http://x/?a=1&b=2\n\n- one\n- two');
  fc.assert(fc.property(fc.string(), (text) => typeof htmlToText(text) === 'string'));
});

test.each([
  '<!--',
  '<',
  '<a href="">',
  '<a href="" ',
  '<a ',
  '<style>',
  '<style></style ',
  '</a',
  '&#32;',
  '&',
  '\n ',
])('htmlToText is fast for many %j', (part) => {
  const start = performance.now();
  htmlToText(part.repeat(Math.ceil(200_000 / part.length)));
  htmlToText(`<a href="x">${part.repeat(Math.ceil(200_000 / part.length))}`);
  expect(performance.now() - start).toBeLessThan(1500);
});
