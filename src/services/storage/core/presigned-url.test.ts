import { expect, test } from 'vitest';
import { objectUrl, presignGet } from './presigned-url.ts';

test('a URL has the signature of AWS’s documented example', () => {
  const url = presignGet({
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    region: 'us-east-1',
    credentials: {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    signedAtMs: Date.UTC(2013, 4, 24),
    lifetimeSeconds: 86_400,
    headers: {},
  });
  expect(new URL(url).searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('the response’s headers and a session token are part of the query', () => {
  const { searchParams } = new URL(
    presignGet({
      url: new URL('http://127.0.0.1:9000/b/k'),
      region: 'eu-central-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't+/=' },
      signedAtMs: 0,
      lifetimeSeconds: 60,
      headers: { 'content-type': 'text/plain; charset=utf-8', expires: undefined },
    }),
  );
  expect(Object.fromEntries(searchParams)).toMatchObject({
    'X-Amz-Security-Token': 't+/=',
    'X-Amz-Date': '19700101T000000Z',
    'X-Amz-Expires': '60',
    'response-content-type': 'text/plain; charset=utf-8',
  });
  expect(searchParams.has('response-expires')).toBe(false);
});

test.each([
  [{ endpoint: undefined, region: 'eu-west-1' }, 'https://b.s3.eu-west-1.amazonaws.com/a/k'],
  [{ endpoint: undefined, region: 'cn-north-1' }, 'https://b.s3.cn-north-1.amazonaws.com.cn/a/k'],
  [{ endpoint: 'http://minio:9000/', region: 'x', force_path_style: true }, 'http://minio:9000/b/a/k'],
  [{ endpoint: 'https://s3.example/base', region: 'x' }, 'https://b.s3.example/base/a/k'],
  [{ endpoint: undefined, region: 'eu-west-1', bucket: 'b.c' }, 'https://s3.eu-west-1.amazonaws.com/b.c/a/k'],
])('%j', (settings, url) => {
  expect(objectUrl({ bucket: 'b', force_path_style: false, ...settings }, 'a/k').href).toBe(url);
});
