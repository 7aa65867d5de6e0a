import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tarEntries } from './pgtap.ts';

function header(path: string, size: number, type = '0'): Buffer {
  const block = Buffer.alloc(512);
  block.write(path, 0);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(type, 156);
  return block;
}

const padded = (content: Buffer) =>
  Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);

test('an archive’s regular files are listed in order, without folders', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 1100 }), { maxLength: 4 }), (contents) => {
      const archive = Buffer.concat([
        header('share/', 0, '5'),
        ...contents.flatMap((content, index) => [
          header(`share/${index}`, content.length),
          padded(Buffer.from(content)),
        ]),
        Buffer.alloc(1024),
      ]);
      expect([...tarEntries(archive)].map(({ path, content }) => [path, [...content]])).toEqual(
        contents.map((content, index) => [`share/${index}`, [...content]]),
      );
    }),
  );
});

test('the folder of a long path is stored in the prefix', () => {
  const block = header('pgtap.control', 0);
  block.write('share/postgresql', 345);
  expect([...tarEntries(block)].map(({ path }) => path)).toEqual(['share/postgresql/pgtap.control']);
});

test('reading always terminates, whatever the bytes are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
      expect([...tarEntries(Buffer.from(bytes))].length).toBeLessThan(7);
    }),
  );
});
