import { expect, test } from 'vitest';
import { hashOf } from './files.ts';

test('the hash of a file ignores only lines that contain nothing but a comment', () => {
  const plain = 'create table a ();\n';
  expect(hashOf(`-- A table.\n  -- With nothing in it.\n${plain}`)).toBe(hashOf(plain));
  expect(hashOf('create table b ();\n')).not.toBe(hashOf(plain));
  expect(hashOf(`${plain}select '-- not a comment';\n`)).not.toBe(hashOf(plain));
});
