import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader } from './frames.ts';

const startup = (code: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeUInt32BE(8, 0);
  buffer.writeUInt32BE(code, 4);
  return buffer;
};
const typed = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

test('messages are decoded regardless of how their bytes arrive', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (queries, sizes) => {
        const bytes = Buffer.concat([
          startup(80_877_103),
          startup(196_608),
          ...queries.map((text) => typed('Q', Buffer.from(`${text}\0`))),
          typed('X', Buffer.alloc(0)),
        ]);
        const reader = new FrameReader();
        const seen: unknown[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] as number;
          seen.push(...reader.read(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(seen).toEqual([
          { kind: 'encryption' },
          { kind: 'startup' },
          ...queries.map((text) => ({ kind: 'query', text })),
          { kind: 'terminate' },
        ]);
      },
    ),
  );
});

test('bytes are either decoded as messages or rejected', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        for (const frame of new FrameReader().read(Buffer.from(bytes)))
          expect(frame.kind).toBeTypeOf('string');
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});
