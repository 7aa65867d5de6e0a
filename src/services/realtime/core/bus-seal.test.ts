import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BusMessage, decodeMessages, encodeMessage } from './bus-message.ts';
import { chunkOverheadBytes, createOpener, createSealer } from './bus-seal.ts';

const secret = 'a secret of the group';
const maxChunkBytes = chunkOverheadBytes + 16;
const pair = () => {
  const origin = randomBytes(16);
  return {
    origin,
    sealer: createSealer(secret, origin, maxChunkBytes),
    opener: createOpener(secret, randomBytes(16)),
  };
};

describe('chunks of batches', () => {
  test('a batch of any size is received unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 100 })), (batches) => {
        const { sealer, opener } = pair();
        for (const batch of batches) {
          const opened = sealer.seal(Buffer.from(batch)).map((chunk) => opener.open(chunk));
          expect(opened.every((one) => one?.gap === false)).toBe(true);
          expect(opened.slice(0, -1).every((one) => one?.batch === undefined)).toBe(true);
          expect(opened.at(-1)?.batch).toEqual(Buffer.from(batch));
        }
      }),
    );
  });

  test('lost chunks are detected, and a batch never contains parts of two batches', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 2, maxLength: 8 }),
        fc.infiniteStream(fc.boolean()),
        (batches, keeps) => {
          const { sealer, opener } = pair();
          const sent = new Set(batches.map((batch) => Buffer.from(batch).toString('hex')));
          let lost = false;
          let begun = false;
          for (const batch of batches) {
            for (const chunk of sealer.seal(Buffer.from(batch))) {
              if (!keeps.next().value) {
                lost = true;
                continue;
              }
              const opened = opener.open(chunk);
              // Chunks that were lost before the first received chunk don't count as a gap.
              expect(opened?.gap).toBe(begun && lost);
              begun = true;
              lost = false;
              if (opened?.batch !== undefined) expect(sent).toContain(opened.batch.toString('hex'));
            }
          }
        },
      ),
    );
  });

  test('a chunk counts once, and its own sender ignores it', () => {
    const { sealer, opener, origin } = pair();
    const [chunk] = sealer.seal(Buffer.from('once')) as [Buffer];
    expect(createOpener(secret, origin).open(chunk)).toBeUndefined();
    expect(opener.open(chunk)?.batch?.toString()).toBe('once');
    expect(opener.open(chunk)).toBeUndefined();
  });

  test('data that another process forges or changes is rejected', () => {
    const { sealer, opener, origin } = pair();
    const stranger = createSealer('another secret', origin, maxChunkBytes);
    expect(opener.open(stranger.seal(Buffer.from('forged'))[0] as Buffer)).toBeUndefined();
    const [chunk] = sealer.seal(Buffer.from('true')) as [Buffer];
    for (let at = 0; at < chunk.length; at++) {
      const changed = Buffer.from(chunk);
      changed[at] = (changed[at] as number) ^ 1;
      expect(opener.open(changed)).toBeUndefined();
    }
    expect(opener.open(chunk)?.batch?.toString()).toBe('true');
    expect(chunk.includes('true')).toBe(false);
  });

  test('bytes that aren’t a chunk are rejected without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        expect(pair().opener.open(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});

const bytes = fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: 'grapheme' });
const message: fc.Arbitrary<BusMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('broadcast' as const),
    subTopic: text,
    isPrivate: fc.boolean(),
    broadcast: fc.oneof(
      fc.record(
        { form: fc.constant('text' as const), payloadJson: fc.json(), id: text },
        { requiredKeys: ['form', 'payloadJson'] },
      ),
      fc.record(
        {
          form: fc.constant('user' as const),
          event: text,
          encoding: fc.constantFrom('json' as const, 'binary' as const),
          data: bytes,
          metadata: fc.json(),
          id: text,
        },
        { requiredKeys: ['form', 'event', 'encoding', 'data'] },
      ),
    ),
  }),
  fc.record({
    kind: fc.constant('presence' as const),
    room: text,
    change: fc.record(
      { join: fc.record({ key: text, meta: fc.record({ phx_ref: text, name: text }) }), leave: text },
      { requiredKeys: [] },
    ),
  }),
  fc.constantFrom({ kind: 'hello' as const }, { kind: 'again' as const, to: 'x' }),
);

describe('messages between processes', () => {
  test('decoding an encoded batch returns the same messages', () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        expect(decodeMessages(Buffer.concat(messages.map(encodeMessage)))).toEqual(messages);
      }),
    );
  });

  test('a truncated batch causes an error instead of a partial message', () => {
    const whole = encodeMessage({ kind: 'again', to: 'other' });
    for (let end = 1; end < whole.length; end++)
      expect(() => decodeMessages(whole.subarray(0, end))).toThrow();
  });
});
