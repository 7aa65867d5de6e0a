import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameSourcesOf, framesOf, readEnded, writeEnded } from './ended-sessions.ts';

const uuid = fc.uuid();

describe('ended sessions', () => {
  test('are read as they were written, up to the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ clientId: uuid, sessionId: uuid }), { maxLength: 30 }), (ended) => {
        expect(readEnded(writeEnded(ended))).toEqual(ended.slice(0, 20));
        // Every browser can store at least 4096 bytes per cookie.
        expect(writeEnded(ended).length).toBeLessThan(2000);
      }),
    );
  });

  test('any other text is ignored', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readEnded(text)).toEqual([]);
      }),
    );
    expect(readEnded(undefined)).toEqual([]);
  });
});

describe('frames', () => {
  test('can’t leave their attribute, and their sources are exact', () => {
    const url = new URL('https://app.example:8443/a;b,c"><script>/out?x=1&y=%22>').href;
    expect(framesOf([url])).not.toMatch(/<script>|"><s/);
    expect(frameSourcesOf([url, url])).toEqual(['https://app.example:8443/a%3Bb%2Cc%22%3E%3Cscript%3E/out']);
  });
});
