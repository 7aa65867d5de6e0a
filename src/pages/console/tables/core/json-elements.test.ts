import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonElements, JsonShapeError } from './json-elements.ts';

/** Returns the text and line number of each object in a file that is read in chunks of `chunkSize`. */
function elementsOf(file: string, chunkSize: number): { text: string; line: number }[] {
  const elements = new JsonElements();
  const found: { text: string; line: number }[] = [];
  for (let at = 0; at < file.length; at += chunkSize)
    found.push(...elements.push(file.slice(at, at + chunkSize)));
  elements.end();
  return found;
}

test('objects in any array are returned whole, regardless of how the file is split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(0, 2),
      (objects, chunkSize, indent) => {
        const found = elementsOf(JSON.stringify(objects, null, indent), chunkSize);
        expect(found.map(({ text }) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(objects)));
        const lines = objects.map((object) => JSON.stringify(object)).join('\n');
        expect(elementsOf(lines, chunkSize).map(({ line }) => line)).toEqual(
          objects.map((_, index) => index + 1),
        );
      },
    ),
  );
});

test('any text is parsed as objects or rejected with its line', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ' ', '\n', 'a') }),
      (file) => {
        try {
          elementsOf(file, 3);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonShapeError);
          expect((error as JsonShapeError).line).toBeGreaterThan(0);
        }
      },
    ),
  );
});
