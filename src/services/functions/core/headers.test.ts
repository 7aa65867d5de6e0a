import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostOf } from './headers.ts';

describe('host in a function’s request URL', () => {
  it.each([
    [{ host: 'here.test:54321' }, 'here.test:54321'],
    [{ host: '[::1]:54321' }, '[::1]:54321'],
    [{ host: 'inner', 'x-forwarded-host': 'app.test' }, 'app.test'],
    [{ host: 'inner', 'x-forwarded-host': 'app.test, proxy.test:8080' }, 'app.test'],
    [{ host: 'inner', 'x-forwarded-host': ['app.test', 'proxy.test'] }, 'app.test'],
    [{ host: 'inner', 'x-forwarded-host': 'a b' }, 'inner'],
    [{ host: 'inner', 'x-forwarded-host': '' }, 'inner'],
    [{ host: 'a b' }, 'localhost'],
    [{ host: 'here:99999' }, 'localhost'],
    [{}, 'localhost'],
  ])('for %j is %s', (headers, host) => {
    expect(hostOf(headers)).toBe(host);
  });

  it('the URL is always valid and has only a host and a port', () => {
    const ofHostCharacters = fc.string({ unit: fc.constantFrom(...'a1.:[]-_') });
    fc.assert(
      fc.property(fc.oneof(fc.string(), ofHostCharacters), fc.string(), (host, forwarded) => {
        const seen = hostOf({ host, 'x-forwarded-host': forwarded });
        expect(new URL(`http://${seen}/path?x`).href).toMatch(/^http:\/\/[^/?#@]+\/path\?x$/);
      }),
    );
  });
});
