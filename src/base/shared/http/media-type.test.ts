import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInert, parseMediaType } from './media-type.ts';

const tokenChars = "!#$%&'*+.^_`|~0123456789abcXYZ-";
const token = fc.string({ unit: fc.constantFrom(...tokenChars), minLength: 1, maxLength: 12 });
const quoted = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', ' ', '\t', ';', '=', '/', '!', '~'),
      fc.constantFrom('\\"', '\\\\', '\\a', '\\ '),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `"${parts.join('')}"`);
const space = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 });
const parameter = fc
  .tuple(space, space, fc.option(fc.tuple(token, fc.oneof(token, quoted)), { nil: undefined }))
  .map(([before, after, pair]) => (pair ? `${before};${after}${pair.join('=')}` : `${before};`));
const mediaType = fc.tuple(token, token, fc.array(parameter, { maxLength: 4 }));

describe('a media type', () => {
  test('is parsed with any parameters and converted to lower case', () => {
    fc.assert(
      fc.property(mediaType, ([type, subtype, parameters]) => {
        expect(parseMediaType(`${type}/${subtype}${parameters.join('')}`)).toEqual({
          type: type.toLowerCase(),
          subtype: subtype.toLowerCase(),
        });
      }),
    );
  });

  test('never contains a comma, a control character or a character outside ASCII', () => {
    const unwanted = fc.oneof(
      fc.constantFrom(',', '\0', '\r', '\n', '\x1b', '\x7f', '\x85', '\xa0', 'é', '\u2028', '\ufeff'),
      fc.integer({ min: 0x80, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(mediaType, unwanted, fc.nat(), ([type, subtype, parameters], char, at) => {
        const text = `${type}/${subtype}${parameters.join('')}`;
        const offset = at % (text.length + 1);
        expect(parseMediaType(text.slice(0, offset) + char + text.slice(offset))).toBeUndefined();
      }),
    );
  });

  test.each([
    '',
    '/',
    'image',
    'image/',
    '/png',
    ' image/png',
    'image/png ',
    'image /png',
    'image/ png',
    'image/png/x',
    'image/png x',
    'image/png; x',
    'image/png; x=',
    'image/png; x =1',
    'image/png; x= 1',
    'image/png; x="',
    'image/png; x="a"b',
    'image/png; x="\\"',
    'image/png, text/xsl',
    'image/png; x=",text/html"',
    'image/png\ntext/html',
    '"image/png"',
    'image/(png)',
    `image/${'x'.repeat(1024)}`,
  ])('%j isn’t a media type', (text) => {
    expect(parseMediaType(text)).toBeUndefined();
  });

  test('every text is checked quickly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const found = parseMediaType(text);
        expect(found === undefined || text.toLowerCase().startsWith(`${found.type}/${found.subtype}`)).toBe(
          true,
        );
      }),
    );
    const startedAt = performance.now();
    for (const part of [
      ';',
      ' ;',
      '; ',
      ' ; ',
      ';a=b',
      ';a=b ',
      ' ;a',
      ';a="',
      ';a="\\"',
      ';a="b"',
      '!',
      ' ',
    ])
      expect(parseMediaType(`a/b${part.repeat(Math.floor(1000 / part.length))}\n`)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe('an inert type', () => {
  const inert = (text: string): boolean => {
    const found = parseMediaType(text);
    return found !== undefined && isInert(found);
  };
  test.each([
    'image/png',
    'IMAGE/JPEG',
    'image/avif',
    'video/mp4; codecs="avc1.42E01E"',
    'audio/ogg',
    'font/woff2',
    'text/plain;charset=UTF-8',
    'text/csv; header=present',
    'application/json; charset=utf-8',
    'application/vnd.pgrst.object+json',
    'application/pdf',
  ])('%s', (text) => expect(inert(text)).toBe(true));

  test.each([
    'text/html',
    'text/xml',
    'text/xsl',
    'text/vtt',
    'text/javascript',
    'image/svg+xml',
    'image/svg',
    'image/x+xml',
    'video/x+xml',
    'font/xml',
    'model/x3d+xml',
    'application/xhtml+xml',
    'application/xml',
    'application/x-shockwave-flash',
    'application/javascript',
    'application/json+xml',
    'multipart/x-mixed-replace',
    'message/rfc822',
    '*/*',
    'x/json',
    'text/x+json',
  ])('%s isn’t inert', (text) => expect(inert(text)).toBe(false));

  test('is never XML or HTML according to its name', () => {
    fc.assert(
      fc.property(token, token, (type, subtype) => {
        for (const ending of ['xml', '+xml', 'html', 'svg'])
          expect(isInert({ type: type.toLowerCase(), subtype: `${subtype}${ending}`.toLowerCase() })).toBe(
            ['audio', 'font', 'video'].includes(type.toLowerCase()) && !ending.endsWith('xml'),
          );
      }),
    );
  });
});
