import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32c, crc64nvme } from './crc.ts';
import { encodeListedKey, parseQuery, percentDecode, percentEncode } from './encoding.ts';
import { parsePolicy, sizeBounds, violatedField } from './post-policy.ts';
import { childText, readXml } from './read-xml.ts';
import {
  canonicalRequest,
  createSigner,
  parseAuthorization,
  parseCredential,
  sha256Hex,
} from './signature.ts';
import { writeXml } from './xml.ts';

/** The example is "GET Object" in "Authenticating Requests: Using the Authorization Header" of the S3 API reference. */
test('signs the example in the S3 API reference correctly', () => {
  const credential = parseCredential('AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request');
  const empty = sha256Hex('');
  const canonical = canonicalRequest({
    method: 'GET',
    path: '/test.txt',
    query: [],
    headers: [
      ['host', 'examplebucket.s3.amazonaws.com'],
      ['range', 'bytes=0-9'],
      ['x-amz-content-sha256', empty],
      ['x-amz-date', '20130524T000000Z'],
    ],
    payloadHash: empty,
  });
  if (!credential) throw new Error('no credential');
  const signer = createSigner('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', credential);
  expect(signer.sign('AWS4-HMAC-SHA256', '20130524T000000Z', [sha256Hex(canonical)])).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test.each([
  [crc32c, 'e3069283'],
  [crc64nvme, 'ae8b14860a799888'],
])('computes %o of the check value', (start, requested) => {
  const sum = start();
  sum.update(Buffer.from('12345'));
  sum.update(Buffer.from('6789'));
  expect(sum.digest().toString('hex')).toBe(requested);
});

describe('properties of the S3 formats', () => {
  test('encoding is reversible, including in queries', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, value) => {
        expect(percentDecode(percentEncode(value))).toBe(value);
        expect(decodeURIComponent(encodeListedKey(value).replaceAll('+', ' '))).toBe(value);
        if (name !== '')
          expect(parseQuery(`${percentEncode(name)}=${percentEncode(value)}`)).toEqual([{ name, value }]);
      }),
    );
  });

  test('parsing a printed document returns the same document', () => {
    fc.assert(
      // Control characters are excluded because XML can't represent them.
      fc.property(fc.stringMatching(/^[\t\n\r\x20-\x7e\xa0-\ud7ff]*$/), (text) => {
        const root = readXml(writeXml('Delete', { Key: text, Other: [1, 2] }));
        expect(root && childText(root, 'Key')).toBe(text);
        expect(root?.children.filter(({ name }) => name === 'Other')).toHaveLength(2);
      }),
    );
  });

  test('namespaces, comments and leading whitespace are ignored', () => {
    const root = readXml(
      '\n<?xml version="1.0"?><s3:Delete a:b="c"><!-- x --><s3:Key>a&amp;b</s3:Key></s3:Delete>',
    );
    expect(root?.name).toBe('Delete');
    expect(root && childText(root, 'Key')).toBe('a&b');
  });

  test('parsers never fail unexpectedly', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '/', '&', ';', '!', '"', ' ', 'a', '=', '?', '-') }),
        (text) => {
          readXml(text);
          readXml(`<a>${text}</a>`);
          parseAuthorization(`AWS4-HMAC-SHA256 ${text}`);
          parsePolicy(Buffer.from(text).toString('base64'));
        },
      ),
    );
  });
});

test.each([
  '<!DOCTYPE a><a/>',
  '<a>&euro;</a>',
  '<a>&amp</a>',
  '<a>&#0;</a>',
  '<a>&#xd800;</a>',
  '<a></b>',
  '<a/><b/>',
  'x<a/>',
  '<a><![CDATA[x]]></a>',
  '<a'.repeat(10),
  `${'<a>'.repeat(9)}${'</a>'.repeat(9)}`,
])('%j isn’t a document', (text) => {
  expect(readXml(text)).toBeUndefined();
});

test('policies check every field, and their smallest size limit applies', () => {
  const policy = parsePolicy(
    Buffer.from(
      JSON.stringify({
        expiration: '2030-01-01T00:00:00Z',
        conditions: [
          { bucket: 'b' },
          ['eq', '$key', 'k'],
          ['starts-with', '$Content-Type', 'image/'],
          ['content-length-range', 1, 10],
          ['content-length-range', 2, 20],
        ],
      }),
    ).toString('base64'),
  );
  if (!policy) throw new Error('no policy');
  const fields = { bucket: 'b', key: 'k', 'content-type': 'image/png' };
  const violated = (more: Record<string, string>) =>
    violatedField(policy, new Map(Object.entries({ ...fields, ...more })));
  expect(violated({ 'x-ignore-me': '', 'x-amz-date': '', policy: '' })).toBeUndefined();
  expect(violated({ key: 'other' })).toBe('key');
  expect(violated({ 'content-type': 'text/html' })).toBe('content-type');
  expect(violated({ acl: 'public' })).toBe('acl');
  expect(sizeBounds(policy)).toEqual({ minBytes: 2, maxBytes: 10 });
});
