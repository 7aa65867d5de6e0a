import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFrame } from './log-frames.ts';

const none = undefined;
test.each([
  ['plain', { level: 'info', requestId: none, text: 'plain' }],
  ['\x1e3abc-1\x1fbad', { level: 'error', requestId: 'abc-1', text: 'bad' }],
  ['\x1e3\x1fError\x1d    at deep', { level: 'error', requestId: none, text: 'Error\n    at deep' }],
  ['\x1e0\x1f', { level: 'debug', requestId: none, text: '' }],
  ['\x1e9abc\x1fx', { level: 'info', requestId: none, text: '\x1e9abc\x1fx' }],
  ['\x1e1a b\x1fx', { level: 'info', requestId: none, text: '\x1e1a b\x1fx' }],
])('%j', (line, frame) => {
  expect(parseFrame(line)).toEqual(frame);
});

test('all function output is read as lines, unchanged unless it forges a header', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const frame = parseFrame(text);
      if (!text.startsWith('\x1e')) expect(frame).toEqual({ level: 'info', requestId: none, text });
    }),
  );
});
