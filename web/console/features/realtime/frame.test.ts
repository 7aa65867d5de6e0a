import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeBroadcast, encodeJson } from '../../../../src/services/realtime/core/frame.ts';
import { readFrame, writeFrame } from './frame.ts';

const received = (frame: { data: Buffer; binary: boolean } | undefined): unknown =>
  frame?.binary ? new Uint8Array(frame.data).buffer : frame?.data.toString();

test('frames from the service are parsed', () => {
  expect(
    readFrame(
      received(
        encodeJson(
          '2.0.0',
          { joinRef: '1', ref: '2', topic: 'realtime:a', event: 'phx_reply' },
          '{"status":"ok"}',
        ),
      ),
    ),
  ).toEqual({
    topic: 'realtime:a',
    event: 'phx_reply',
    payload: { status: 'ok' },
    ref: '2',
  });
  const json = { form: 'user', event: 'é', encoding: 'json', data: Buffer.from('{"a":1}') } as const;
  expect(
    readFrame(received(encodeBroadcast('2.0.0', 'realtime:a', { ...json, metadata: '{"id":"x"}' }))),
  ).toEqual({
    topic: 'realtime:a',
    event: 'broadcast',
    payload: { type: 'broadcast', event: 'é', payload: { a: 1 }, meta: { id: 'x' } },
    ref: null,
  });
});

test('bytes are shown as their length and first bytes', () => {
  const data = Buffer.from([0, 255, 16]);
  const frame = encodeBroadcast('2.0.0', 'realtime:a', {
    form: 'user',
    event: 'e',
    encoding: 'binary',
    data,
  });
  expect(readFrame(received(frame))?.payload).toEqual({
    type: 'broadcast',
    event: 'e',
    payload: { bytes: 3, hex: '00 ff 10' },
  });
  const large = encodeBroadcast('2.0.0', 't', {
    form: 'user',
    event: 'e',
    encoding: 'binary',
    data: Buffer.alloc(1000),
  });
  expect(readFrame(received(large))?.payload.payload).toMatchObject({
    bytes: 1000,
    hex: expect.stringMatching(/(00 ){255}00 …$/),
  });
});

test('text and bytes are either parsed as a frame or ignored', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readFrame(text)));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const frame = readFrame(Uint8Array.from([4, ...bytes]).buffer);
      expect(frame === undefined || typeof frame.topic === 'string').toBe(true);
    }),
  );
});

test('an outgoing frame is an array with the join reference', () => {
  expect(JSON.parse(writeFrame('realtime:a', 'broadcast', { b: 1 }, '3'))).toEqual([
    '1',
    '3',
    'realtime:a',
    'broadcast',
    { b: 1 },
  ]);
});

test.each(['', '[]', '{}', 'null', '["1","2",3,"x",{}]', undefined, new ArrayBuffer(0)])(
  '%j isn’t a frame',
  (data) => {
    expect(readFrame(data)).toBeUndefined();
  },
);
