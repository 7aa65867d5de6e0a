import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLonger, requireLength } from './text-length.ts';

test('the length is the number of code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, max) => {
      expect(isLonger(text, max)).toBe([...text].length > max);
    }),
  );
});

test('an emoji is one character', () => {
  const fault = () => new Error('too long');
  expect(() => requireLength('😀'.repeat(100), 100, fault)).not.toThrow();
  expect(() => requireLength('😀'.repeat(101), 100, fault)).toThrow('too long');
});
