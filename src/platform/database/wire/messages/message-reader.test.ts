import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LARGE_MESSAGE_BYTES, MessageReader } from './message-reader.ts';

const message = fc.record({
  type: fc.integer({ min: 0x31, max: 0x7a }),
  body: fc.uint8Array({ maxLength: 300 }),
});

function encode({ type, body }: { type: number; body: Uint8Array }): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes[0] = type;
  bytes.writeInt32BE(4 + body.length, 1);
  bytes.set(body, 5);
  return bytes;
}

test('messages are the same regardless of how the stream is split', () => {
  fc.assert(
    fc.property(
      fc.array(message),
      fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1 }),
      (messages, cuts) => {
        const stream = Buffer.concat(messages.map(encode));
        const read: { type: number; body: number[] }[] = [];
        const reader = new MessageReader((type, buffer, start, end) => {
          read.push({ type, body: [...buffer.subarray(start, end)] });
        });
        for (let offset = 0, turn = 0; offset < stream.length; turn++) {
          const size = cuts[turn % cuts.length] as number;
          reader.push(stream.subarray(offset, offset + size));
          offset += size;
        }
        expect(read).toEqual(messages.map(({ type, body }) => ({ type, body: [...body] })));
      },
    ),
  );
});

test('returned data doesn’t change when more data arrives', () => {
  const kept: Buffer[] = [];
  const reader = new MessageReader((_type, buffer, start, end) => kept.push(buffer.subarray(start, end)));
  const stream = Buffer.concat(
    [1, 2, 3].map((value) => encode({ type: 0x44, body: new Uint8Array(50).fill(value) })),
  );
  for (let offset = 0; offset < stream.length; offset += 7)
    reader.push(Buffer.from(stream.subarray(offset, offset + 7)));
  expect(kept.map((body) => [...new Set(body)])).toEqual([[1], [2], [3]]);
});

test('a length below four bytes is rejected', () => {
  const reader = new MessageReader(() => {});
  expect(() => reader.push(Buffer.from([0x44, 0, 0, 0, 3]))).toThrow(/length/);
});

test('a large message is read in pieces, and the messages around it are unaffected', () => {
  const small = encode({ type: 0x43, body: new Uint8Array([1, 2, 3]) });
  const body = Buffer.alloc(LARGE_MESSAGE_BYTES + 77, 'large');
  const stream = Buffer.concat([
    small,
    encode({ type: 0x44, body }),
    small,
    encode({ type: 0x44, body }),
    small,
  ]);
  // The message is split inside its header, at the end of the header, and far after the header.
  for (const first of [small.length + 3, small.length + 5, small.length + 900]) {
    const read: (string | Buffer)[] = [];
    const reader = new MessageReader(
      (type, _buffer, start, end) => read.push(`${type} ${end - start}`),
      (type, sizeBytes) => {
        const chunks: Buffer[] = [];
        return {
          push: (buffer, start, end) => chunks.push(buffer.subarray(start, end)),
          end: () => read.push(`large ${type} ${sizeBytes}`, Buffer.concat(chunks)),
        };
      },
    );
    reader.push(stream.subarray(0, first));
    for (let offset = first; offset < stream.length; offset += 65_536)
      reader.push(stream.subarray(offset, offset + 65_536));
    const large = [`large 68 ${body.length}`, body];
    expect(read).toEqual(['67 3', ...large, '67 3', ...large, '67 3']);
  }
});

test('a large message without a piecewise reader is returned whole', () => {
  const body = Buffer.alloc(LARGE_MESSAGE_BYTES, 'whole');
  const read: Buffer[] = [];
  const reader = new MessageReader((_type, buffer, start, end) => read.push(buffer.subarray(start, end)));
  const stream = encode({ type: 0x44, body });
  for (let offset = 0; offset < stream.length; offset += 65_536)
    reader.push(stream.subarray(offset, offset + 65_536));
  expect(read).toEqual([body]);
});
