import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  matchesGlob,
  matchesTokens,
  parseRedirectGlob,
  type Target,
  type Token,
  tokenize,
} from './redirect-glob.ts';

const at = (scheme: string, hostname: string | undefined, path = '/', port = ''): Target => ({
  scheme,
  hostname,
  port,
  path,
});
const matches = (glob: string, target: Target) =>
  parseRedirectGlob(glob).some((each) => matchesGlob(each, target));

test.each<[string, Target, boolean]>([
  ['http://localhost:3000/**', at('http', 'localhost', '/a/b.c?d=e', '3000'), true],
  ['http://localhost:3000/**', at('http', 'localhost', '/', '3001'), false],
  ['http://localhost:*/**', at('http', 'localhost', '/', '3001'), true],
  ['http://localhost:3000', at('http', 'localhost', '/', '3000'), true],
  ['http://localhost:3000', at('http', 'localhost', '/x', '3000'), false],
  ['https://*.example.com', at('https', 'one.example.com'), true],
  ['https://*.example.com', at('https', 'one.two.example.com'), false],
  ['https://**.example.com/*', at('https', 'one.two.example.com', '/x'), true],
  ['https://**.example.com/*', at('https', 'one.two.example.com', '/x/y'), false],
  ['https://**--my_org.netlify.app/**', at('https', 'a--my_org.netlify.app', '/x'), true],
  ['https://**--my_org.netlify.app/**', at('https', 'evil.com', '/?--my_org.netlify.app/'), false],
  ['https://example.com**', at('https', 'example.com', '/any/path.html'), true],
  ['https://example.com**', at('https', 'example.com.evil.org'), false],
  ['https://example.com:443/x', at('https', 'example.com', '/x'), true],
  ['https://EXAMPLE.com/X', at('https', 'example.com', '/X'), true],
  ['https://EXAMPLE.com/X', at('https', 'example.com', '/x'), false],
  ['https://bücher.example/**', at('https', 'xn--bcher-kva.example', '/x'), true],
  ['https://*.bücher.example/**', at('https', 'a.xn--bcher-kva.example', '/x'), true],
  ['{http,https}://{one,two}.example.com', at('http', 'two.example.com'), true],
  ['{http,https}://{one,two}.example.com', at('ftp', 'two.example.com'), false],
  ['https://deploy-[0-9].example.com', at('https', 'deploy-7.example.com'), true],
  ['https://deploy-[!0-9].example.com', at('https', 'deploy-7.example.com'), false],
  ['https://example.com/a\\*', at('https', 'example.com', '/a*'), true],
  ['https://example.com/a\\*', at('https', 'example.com', '/ab'), false],
  ['https://**', at('https', 'any.example.org', '/x', '8443'), true],
  ['**', at('https', 'any.example.org', '/x'), true],
  ['**', at('myapp', 'callback'), false],
  ['*://**', at('http', 'any.example.org'), true],
  ['*://**', at('myapp', 'callback'), false],
  ['myapp://**', at('myapp', 'callback', '/x'), true],
  ['myapp://callback', at('myapp', 'callback'), true],
  ['myapp://callback', at('myapp', 'other'), false],
  ['com.example.app:/oauth', at('com.example.app', undefined, '/oauth'), true],
  ['com.example.app:/oauth', at('com.example.app', 'oauth'), false],
  ['example.com/**', at('https', 'example.com', '/x'), false],
  ['', at('https', 'example.com'), false],
])('%s on %j: %s', (glob, target, expected) => {
  expect(matches(glob, target)).toBe(expected);
});

describe('a pattern', () => {
  const sign = fc.constantFrom('a', 'b', '.', '/', '?', '*', '**', '[ab]', '[!a]');
  const patterns = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''));
  const texts = fc.array(fc.constantFrom('a', 'b', '.', '/'), { maxLength: 10 }).map((all) => all.join(''));

  test('matches the same texts as its regular expression', () => {
    const source: Record<Token['kind'], (token: Token) => string> = {
      letter: (token) => (token.kind === 'letter' ? token.letter.replace(/[./]/, '\\$&') : ''),
      class: (token) => (token.kind === 'class' && token.negated ? '[^a]' : '[ab]'),
      one: () => '[^./]',
      some: () => '[^./]*',
      all: () => '[^]*',
    };
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        const tokens = tokenize(pattern);
        const regExp = new RegExp(`^${tokens.map((token) => source[token.kind](token)).join('')}$`);
        expect(matchesTokens(tokens, text)).toBe(regExp.test(text));
      }),
      { numRuns: 2000 },
    );
  });

  test('is matched in a number of steps proportional to the text length', () => {
    fc.assert(
      fc.property(patterns, texts, fc.integer({ min: 1, max: 200 }), (pattern, text, times) => {
        let steps = 0;
        const tokens = new Proxy(tokenize(pattern), {
          get(target, name, receiver) {
            steps++;
            return Reflect.get(target, name, receiver);
          },
        });
        const long = text.repeat(times);
        matchesTokens(tokens, long);
        // For each character of the text, the function reads each token at most three times: to find its position, to
        // match it, and to find the positions that can be reached from it.
        expect(steps).toBeLessThanOrEqual(4 * (tokens.length + 2) * (long.length + 1));
      }),
    );
  });

  test('parses any text, but not one with too many alternatives', () => {
    fc.assert(fc.property(fc.string(), (glob) => Array.isArray(parseRedirectGlob(glob))));
    expect(parseRedirectGlob(`https://${'{a,b}'.repeat(50)}`)).toEqual([]);
  });
});
