/** Splits a stream into lines. Long lines are truncated. */
import { StringDecoder } from 'node:string_decoder';

const maxLineChars = 16_384;

export function createLineReader(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (rest.length > maxLineChars) {
      onLine(rest.slice(0, maxLineChars));
      rest = rest.slice(maxLineChars);
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
