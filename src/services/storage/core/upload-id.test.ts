import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUploadId, printUploadId } from './upload-id.ts';

test('parsing a printed ID returns the same upload', () => {
  const bucketId = fc.stringMatching(/^[\w.-]{1,20}$/);
  const key = fc.stringMatching(/^[\w/. -]{1,40}$/);
  fc.assert(
    fc.property(bucketId, key, fc.uuid(), (bucketId, key, id) => {
      expect(parseUploadId(printUploadId({ bucketId, key, id }))).toEqual({ bucketId, key, id });
    }),
  );
});

test('text is either parsed as an upload or rejected', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseUploadId(text)));
  const named = (path: string) => parseUploadId(Buffer.from(path).toString('base64url'));
  const id = '317eadce-631a-4429-a0bb-f19a7a517b4a';
  for (const path of ['', id, `a/${id}`, `/a/${id}`, `a//${id}`, 'a/b/../../etc', `a/b/${id}/`, `a/b/${id}x`])
    expect(named(path), path).toBeUndefined();
  expect(named(`a/../b/${id}`)).toEqual({ bucketId: 'a', key: '../b', id });
});
