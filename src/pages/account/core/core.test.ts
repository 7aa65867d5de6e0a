import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCookie, sessionCookie, writeCookie } from './cookies.ts';
import { carryFlow, fillLanguages, fillPage, keepLinks, repeatWays, scriptJson } from './html.ts';
import { allowsKeysAt, offAt, offersOf, offNames, providersOf, waysOf } from './offers.ts';
import { parseReturnRequest, withCode, withSession } from './return-to.ts';

test('the list of languages contains the other languages', () => {
  const html =
    '<footer><div data-list="languages" class="x"><details><summary>%PLINTH_LANGUAGE%</summary><ul><li><a href="/account/sign-in?lang=%PLINTH_LANGUAGE_TAG%" lang="%PLINTH_LANGUAGE_TAG%" dir="%PLINTH_LANGUAGE_DIR%">%PLINTH_LANGUAGE_NAME%</a></li></ul></details></div></footer>';
  const languages = [
    { tag: 'en', name: 'English', dir: 'ltr' },
    { tag: 'ar', name: 'العربية', dir: 'rtl' },
    { tag: 'de', name: '<b>%PLINTH_KEY%', dir: 'ltr' },
  ];
  const linkTo = (tag: string, dir: string, name: string) =>
    `<a href="/account/sign-in?lang=${tag}" lang="${tag}" dir="${dir}">${name}</a>`;
  const listOf = (inner: string) => `<footer><div data-list="languages" class="x">${inner}</div></footer>`;
  expect(fillLanguages(html, languages.slice(0, 1), 'en')).toBe(listOf(''));
  expect(fillLanguages(html, languages.slice(0, 2), 'en')).toBe(listOf(linkTo('ar', 'rtl', 'العربية')));
  expect(fillLanguages(html, languages, 'en')).toBe(
    listOf(
      `<details><summary>English</summary><ul><li>${linkTo('ar', 'rtl', 'العربية')}</li><li>${linkTo('de', 'ltr', '&#60;b&#62;&#37;PLINTH_KEY&#37;')}</li></ul></details>`,
    ),
  );
});

describe('cookies', () => {
  const [plain, tls] = [{ secure: false }, { secure: true }];

  test.each([
    ['plinth-account=abc', 'abc', undefined],
    ['other=1; plinth-account=abc; last=2', 'abc', undefined],
    ['plinth-account=planted; __Host-plinth-account=abc', 'planted', 'abc'],
    ['xplinth-account=abc', undefined, undefined],
    ['', undefined, undefined],
    [undefined, undefined, undefined],
  ])('%s', (header, overPlain, overTls) => {
    expect(readCookie(header, sessionCookie, plain)).toBe(overPlain);
    expect(readCookie(header, sessionCookie, tls)).toBe(overTls);
  });

  test('scripts, other sites and other hosts can’t access the cookies', () => {
    expect(writeCookie(sessionCookie, 'v', tls)).toBe(
      '__Host-plinth-account=v; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
    expect(writeCookie(sessionCookie, 'v', plain)).toBe(
      'plinth-account=v; Max-Age=34560000; Path=/account; HttpOnly; SameSite=Lax',
    );
    expect(writeCookie(sessionCookie, undefined, plain)).toContain('=; Max-Age=0;');
  });
});

describe('the redirect to the app', () => {
  const challenge = 'a'.repeat(43);

  test('keeps the query parameters of the redirect URL', () => {
    expect(withCode('https://app.example/cb?tab=1&code=old#x', 'c0de')).toBe(
      'https://app.example/cb?tab=1&code=c0de#x',
    );
    const session = {
      access_token: 'a',
      refresh_token: 'r',
      expires_in: 1,
      expires_at: 2,
      token_type: 'bearer',
    };
    expect(withSession('https://app.example/cb?tab=1', session)).toBe(
      'https://app.example/cb?tab=1#access_token=a&expires_at=2&expires_in=1&refresh_token=r&token_type=bearer',
    );
  });

  test('accepts a challenge method in any case', () => {
    expect(
      parseReturnRequest({ redirect_to: 'x', code_challenge: challenge, code_challenge_method: 'S256' }),
    ).toEqual({ redirectTo: 'x', challenge: { value: challenge, method: 's256' }, opensWithoutCode: false });
    expect(parseReturnRequest({ redirect_to: 'x' })).toEqual({
      redirectTo: 'x',
      challenge: undefined,
      opensWithoutCode: false,
    });
    expect(parseReturnRequest({ redirect_to: 'x', next: 'app' })).toMatchObject({ opensWithoutCode: true });
  });

  test.each([
    [{}],
    [{ redirect_to: 7 }],
    [{ redirect_to: 'x', code_challenge: 'short' }],
    [{ redirect_to: 'x', code_challenge: `${challenge}/` }],
    [{ redirect_to: 'x', code_challenge: challenge, code_challenge_method: 'md5' }],
  ])('refuses %j', (body) => {
    expect(parseReturnRequest(body)).toBeUndefined();
  });
});

describe('pages', () => {
  const fill = {
    name: 'A&B "<i>"',
    logo: '/l',
    appUrl: 'https://app.example',
    off: ['guest'],
    brandCss: ':root{}',
    brandDarkCss: '',
    config: { a: '</script>' },
  };

  test('values can’t escape the place that they fill', () => {
    const html =
      '<html data-off="%PLINTH_OFF%"><b>%PLINTH_NAME%</b><script>%PLINTH_CONFIG%</script>%PLINTH_NONCE%';
    expect(fillPage(html, fill)).toBe(
      '<html data-off="guest"><b>A&#38;B &#34;&#60;i&#62;&#34;</b>' +
        '<script>{"a":"\\u003c/script>"}</script>%PLINTH_NONCE%',
    );
  });

  test('a name that contains a placeholder or pattern is unchanged', () => {
    expect(fillPage('%PLINTH_NAME%', { ...fill, name: '$& %PLINTH_LOGO%' })).toBe('$&#38; %PLINTH_LOGO%');
  });

  test('any value can be embedded in the script element', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = scriptJson(value);
        expect(text).not.toMatch(/<|\u2028|\u2029/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('offers', () => {
  const nothing = { unlisted: [], custom: [], wallets: [] };
  const all = ['password', 'code', 'phone', 'signUp', 'guest', 'social', 'passkey', 'sso', 'wallet'];

  test('match the settings that auth reports', () => {
    const external = { email: true, anonymous_users: true };
    const more = ['phone', 'social', 'passkey', 'sso', 'wallet'];
    expect(offNames(offersOf({ external }, nothing))).toEqual(more);
    expect(offNames(offersOf({ external, disable_signup: true }, nothing)).sort()).toEqual(
      ['signUp', 'guest', ...more].sort(),
    );
    expect(offNames(offersOf({}, nothing))).toEqual(all);
    const settings = { external: { phone: true, github: true }, saml_enabled: true, passkeys_enabled: true };
    expect(offNames(offersOf(settings, nothing))).toEqual(['password', 'code', 'signUp', 'guest', 'wallet']);
    expect(offNames(offersOf({}, { ...nothing, wallets: ['solana'] }))).not.toContain('wallet');
  });

  test('passkeys and wallets are offered only at URLs that support them', () => {
    const at = (address: string) => {
      const { protocol, host, hostname } = new URL(address);
      return offAt({ protocol: protocol.slice(0, -1), host, hostname }, [
        'https://app.example',
        'http://localhost:1',
      ]);
    };
    expect(at('https://app.example')).toEqual([]);
    expect(at('https://app.example:8443')).toEqual(['passkey']);
    expect(at('http://app.example')).toEqual(['passkey', 'wallet']);
    expect(at('http://localhost:1')).toEqual([]);
    expect(at('http://localhost:2')).toEqual(['passkey']);
    expect(at('http://127.0.0.1:1')).toEqual(['passkey', 'wallet']);
  });

  test.each([
    ['https://api.app.example/account', ['https://app.example', 'https://api.app.example'], true],
    ['https://api.app.example/account', ['https://app.example'], false],
    ['http://127.0.0.1:54321/account', ['http://localhost:54321'], true],
    ['http://127.0.0.1:54321/account', ['http://localhost:3000'], false],
    ['https://api.app.example/account', ['android:apk-key-hash:abc'], false],
  ])('keys work on the pages at %s with the origins %s: %s', (accountUrl, origins, isAllowed) => {
    expect(allowsKeysAt(accountUrl, origins)).toBe(isAllowed);
  });

  test('include providers that aren’t listed and those of the project', () => {
    const settings = { external: { github: true, google: false, email: true, made_up: true } };
    const facts = { unlisted: ['x'], custom: [{ id: 'custom:idp', name: '<Idp>' }] };
    const found = providersOf(settings, facts);
    expect(found.map(({ id, name }) => [id, name])).toEqual([
      ['github', 'GitHub'],
      ['x', 'X'],
      ['custom:idp', '<Idp>'],
    ]);
    // Providers are sorted as in config.toml, except that the most recently used provider is first.
    const three = { external: { github: true, google: true, gitlab: true } };
    const order = ['gitlab', 'google', 'apple'];
    const offers = offersOf(three, { ...facts, wallets: [] });
    const sorted = providersOf(three, { unlisted: [], custom: [], order });
    const collapsed = waysOf({ ...offers, guest: true }, sorted, 'github');
    expect(sorted.map(({ id }) => id)).toEqual(['gitlab', 'google', 'github']);
    expect([collapsed.providers.map(({ id }) => id), collapsed.shown, collapsed.isCollapsed]).toEqual([
      ['github', 'gitlab', 'google'],
      3,
      true,
    ]);
    const four = waysOf(offers, [...sorted, ...found.slice(1, 2)], 'google');
    expect([four.providers[0]?.id, four.shown, four.isCollapsed]).toEqual(['google', 1, true]);
    const html =
      '<div class="s" data-list="providers-all"><a href="/go?p=%PLINTH_PROVIDER_ID%">%PLINTH_PROVIDER_MARK%%PLINTH_PROVIDER_NAME%</a></div>';
    const ways = { shown: 1, isCollapsed: true };
    const repeated = repeatWays(html, { ...ways, providers: found.slice(2) });
    expect(repeated).toContain('<a href="/go?p=custom:idp"><svg');
    expect(repeated).toContain('&#60;Idp&#62;</a></div>');
    expect(repeated.replace(/<\/?(svg|rect|text|a|div)/g, '')).not.toContain('<');
    expect(repeatWays(html, { ...ways, providers: [] })).toBe(
      '<div class="s" data-list="providers-all"></div>',
    );
  });
});

test('footer links have a target or are omitted', () => {
  const link = (name: string, href: string) => `<a data-link="${name}" href="${href}">x</a>`;
  const html = `<p>${link('support', '%PLINTH_SUPPORT_URL%')}${link('terms', '%PLINTH_TERMS_URL%')}</p>`;
  const links = { support: undefined, terms: 'https://a.example/"><b>%', privacy: undefined };
  expect(keepLinks(html, links)).toBe(
    `<p>${link('terms', 'https://a.example/&#34;&#62;&#60;b&#62;&#37;')}</p>`,
  );
});

describe('links on a prerendered page', () => {
  const html =
    '<a class="x" href="/account/sign-up">1</a><a href="/account/code?purpose=recover">2</a><a href="https://a.example">3</a>';

  test('keep the redirect to the app', () => {
    const query = new URLSearchParams({
      redirect_to: 'https://app.example/cb?x=1&y="<',
      code_challenge: 'c',
      other: 'z',
    });
    const flow = 'redirect_to=https%3A%2F%2Fapp.example%2Fcb%3Fx%3D1%26y%3D%22%3C&#38;code_challenge=c';
    expect(carryFlow(html, query)).toBe(
      `<a class="x" href="/account/sign-up?${flow}">1</a><a href="/account/code?${flow}&amp;purpose=recover">2</a><a href="https://a.example">3</a>`,
    );
  });

  test('to other languages keep the whole query', () => {
    const link = '<a href="/account/confirm?lang=ar" lang="ar">';
    const query = new URLSearchParams({ token: 'a"b', lang: 'en', redirect_to: 'https://app.example/' });
    expect(carryFlow(link, query)).toBe(
      '<a href="/account/confirm?token=a%22b&#38;redirect_to=https%3A%2F%2Fapp.example%2F&amp;lang=ar" lang="ar">',
    );
    expect(carryFlow(link, new URLSearchParams())).toBe(link);
  });

  test('are unchanged if no app sent the user', () => {
    expect(carryFlow(html, new URLSearchParams('other=z'))).toBe(html);
  });
});
