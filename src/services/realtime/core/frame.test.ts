import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Broadcast, decodeFrame, encodeBroadcast, encodeJson, encodeReply } from './frame.ts';

const short = fc.string({ maxLength: 60, unit: 'grapheme' }).filter((text) => Buffer.byteLength(text) <= 255);

describe('decoding', () => {
  test('bytes and text are either decoded as a message or ignored, without an exception', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        fc.constantFrom('1.0.0' as const, '2.0.0' as const),
        (bytes, binary, version) => {
          const message = decodeFrame(version, Buffer.from(bytes), binary);
          expect(message === undefined || typeof message.topic === 'string').toBe(true);
        },
      ),
    );
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('1.0.0' as const, '2.0.0' as const), (text, version) => {
        decodeFrame(version, Buffer.from(text), false);
      }),
    );
  });

  test('a broadcast keeps its payload text unchanged, in both versions', () => {
    fc.assert(
      fc.property(short, fc.json(), (topic, payload) => {
        const two = decodeFrame(
          '2.0.0',
          Buffer.from(`[null, "1" ,${JSON.stringify(topic)},"broadcast", ${payload} , 1]`),
          false,
        );
        expect(two?.payload).toMatchObject({ kind: 'json', text: payload.trim() });
        const one = decodeFrame(
          '1.0.0',
          Buffer.from(
            `{"ref":"1","payload" : ${payload} ,"event":"broadcast","topic":${JSON.stringify(topic)}}`,
          ),
          false,
        );
        expect(one?.payload).toMatchObject({ kind: 'json', text: payload.trim() });
      }),
    );
  });

  test('decodes a client’s message of kind 3 unchanged', () => {
    fc.assert(
      fc.property(
        short,
        short,
        fc.uint8Array({ maxLength: 200 }),
        fc.boolean(),
        short,
        (topic, event, data, isJson, metadata) => {
          const parts = ['7', '8', topic, event, metadata].map((part) => Buffer.from(part));
          const frame = Buffer.concat([
            Buffer.from([3, ...parts.map((part) => part.length), isJson ? 1 : 0]),
            ...parts,
            Buffer.from(data),
          ]);
          expect(decodeFrame('2.0.0', frame, true)).toEqual({
            joinRef: '7',
            ref: '8',
            topic,
            event: 'broadcast',
            payload: {
              kind: 'user-broadcast',
              event,
              encoding: isJson ? 'json' : 'binary',
              data: Buffer.from(data),
            },
          });
        },
      ),
    );
  });
});

describe('encoding', () => {
  test('text frames have the right format in both versions', () => {
    expect(
      encodeJson('2.0.0', { joinRef: '1', topic: 'realtime:a', event: 'system' }, '{"a":1}').data.toString(),
    ).toBe('["1",null,"realtime:a","system",{"a":1}]');
    expect(
      encodeReply('1.0.0', { joinRef: '1', ref: '2', topic: 'realtime:a' }, 'ok', {}).data.toString(),
    ).toBe('{"topic":"realtime:a","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"2"}');
  });

  test('realtime-js can decode kind 4', () => {
    fc.assert(
      fc.property(
        short,
        short,
        fc.uint8Array({ maxLength: 200 }),
        fc.option(short, { nil: undefined }),
        (topic, event, data, metadata) => {
          const frame = encodeBroadcast('2.0.0', topic, {
            form: 'user',
            event,
            encoding: 'binary',
            data: Buffer.from(data),
            metadata,
          })?.data as Buffer;
          const [kind, topicSize, eventSize, metadataSize, encoding] = frame as unknown as number[] as [
            number,
            number,
            number,
            number,
            number,
          ];
          const rest = frame.subarray(5);
          expect([kind, encoding]).toEqual([4, 0]);
          expect(rest.toString('utf8', 0, topicSize)).toBe(topic);
          expect(rest.toString('utf8', topicSize, topicSize + eventSize)).toBe(event);
          expect(rest.subarray(topicSize + eventSize + metadataSize)).toEqual(Buffer.from(data));
        },
      ),
    );
  });

  test('fields that a version can’t represent are omitted', () => {
    const user = (more: Partial<Broadcast & { form: 'user' }>): Broadcast => ({
      form: 'user',
      event: 'e',
      encoding: 'json',
      data: Buffer.from('1'),
      ...more,
    });
    expect(encodeBroadcast('1.0.0', 't', user({ encoding: 'binary' }))).toBeUndefined();
    expect(encodeBroadcast('1.0.0', 't', user({ data: Buffer.from('1}, "x": {') }))).toBeUndefined();
    expect(encodeBroadcast('2.0.0', 'é'.repeat(128), user({}))).toBeUndefined();
    expect(encodeBroadcast('1.0.0', 't', user({ metadata: '{"id":"i"}' }))?.data.toString()).toBe(
      '{"topic":"t","event":"broadcast","payload":{"type":"broadcast","event":"e","payload":1,"meta":{"id":"i"}},"ref":null}',
    );
  });
});
