/** Reads an uploaded CSV or JSON file row by row. */
import { Readable } from 'node:stream';
import { ConsoleError } from '../errors.ts';
import { JsonElements, JsonShapeError, readObject } from './core/json-elements.ts';

export type ImportFormat = 'csv' | 'json';

export interface SourceRow {
  /** The number of the line in which the row begins, starting at 1. */
  readonly line: number;
  /**
   * Values by the file's column. The values are strings if the file is a CSV file, and JSON values if it is a JSON file.
   * Fields that are missing in the file are omitted.
   */
  readonly values: Readonly<Record<string, unknown>>;
  /** The reason why the text isn't a valid row. */
  readonly fault?: string;
}

/**
 * Yields the rows in the file.
 * @throws {ConsoleError} bad_request with the line number if the rest of the file can't be read
 */
export function readSource(
  file: Readable,
  format: ImportFormat,
  delimiter: string,
): AsyncIterable<SourceRow> {
  return format === 'csv' ? readCsv(Readable.from(checkedText(file)), delimiter) : readJson(file);
}

/**
 * Checks that the file is encoded in UTF-8 or UTF-16. Spreadsheet programs can also save files in the computer's code
 * page. Non-ASCII characters in such files would become replacement characters. UTF-16 is recognized by its byte order
 * mark, and the parser supports it.
 */
async function* checkedText(file: Readable): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isUtf16: boolean | undefined;
  let line = 1;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    isUtf16 ??= chunk[0] === 0xff && chunk[1] === 0xfe;
    if (!isUtf16) decodeOn(decoder, chunk, line);
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) line++;
    yield chunk;
  }
  if (isUtf16 === false) decodeOn(decoder, undefined, line);
}

const newline = 0x0a;

/** Decodes a chunk. Undefined marks the end of the file. @throws {ConsoleError} bad_request */
function decodeOn(decoder: TextDecoder, chunk: Buffer | undefined, line: number): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    const before = new TextDecoder().decode(chunk).split('\uFFFD')[0] ?? '';
    throw new ConsoleError('bad_request', {
      message: `Line ${line + before.split('\n').length - 1} of the file isn't UTF-8 text.`,
      hint: 'Save the file as UTF-8 (in a spreadsheet: “CSV UTF-8”) and choose it again.',
    });
  }
}

async function* readCsv(file: Readable, delimiter: string): AsyncGenerator<SourceRow> {
  const { CsvError, parse } = await import('csv-parse');
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    relaxColumnCount: true,
    skipEmptyLines: true,
    // As in PostgreSQL's COPY, an empty field is NULL, and a quoted empty field is an empty string.
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  });
  file.on('error', (error) => parser.destroy(error));
  file.pipe(parser);
  let names: readonly string[] | undefined;
  let lines = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: readonly (string | null)[];
      info: { lines: number };
    }>) {
      const line = lines + 1;
      lines = info.lines;
      if (names === undefined) {
        names = headOf(record);
        continue;
      }
      const fields = `${record.length} ${record.length === 1 ? 'field' : 'fields'}`;
      yield {
        line,
        values: Object.fromEntries(names.map((name, index) => [name, record[index] ?? null])),
        ...(record.length === names.length
          ? {}
          : { fault: `has ${fields}, but the first line has ${names.length}` }),
      };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ConsoleError('bad_request', { message: `The file isn't valid CSV: ${error.message}` });
  }
  if (names === undefined) throw new ConsoleError('bad_request', { message: 'The file is empty.' });
}

function headOf(record: readonly (string | null)[]): readonly string[] {
  const names = record.map((name) => name ?? '');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConsoleError('bad_request', {
      message:
        twice === ''
          ? 'The first line must contain unique column names, but more than one name is empty.'
          : `The first line must contain unique column names, but ${twice} appears more than once.`,
    });
  return names;
}

async function* readJson(file: Readable): AsyncGenerator<SourceRow> {
  const elements = new JsonElements();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of file) {
      for (const { text, line } of elements.push(decodeOn(decoder, chunk as Buffer, elements.line))) {
        const values = readObject(text);
        yield values === undefined ? { line, values: {}, fault: 'is not valid JSON' } : { line, values };
      }
    }
    elements.end();
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    throw new ConsoleError('bad_request', {
      message: `Invalid JSON on line ${error.line}: ${error.message}`,
    });
  }
}
