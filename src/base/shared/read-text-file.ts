import { readFileSync } from 'node:fs';

/**
 * Reads a text file that a person has written. Editors and shells on Windows can save UTF-16, which is recognized by
 * its byte order mark. The mark is part of the returned text.
 */
export function readTextFile(path: string): string {
  const content = readFileSync(path);
  return content.toString(content[0] === 0xff && content[1] === 0xfe ? 'utf16le' : 'utf8');
}
