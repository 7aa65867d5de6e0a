/** Reads the bodies of the server's messages. */
import { PostgresError, type PostgresErrorFields } from './errors.ts';

export interface Column {
  readonly name: string;
  readonly tableOid: number;
  readonly typeOid: number;
}

export interface Notice extends PostgresErrorFields {}

export interface Notification {
  readonly processId: number;
  readonly channel: string;
  readonly payload: string;
}

type TextField = Exclude<keyof PostgresErrorFields, 'position' | 'internalPosition'>;

const TEXT_FIELDS: Readonly<Record<string, TextField>> = {
  V: 'severity',
  C: 'code',
  M: 'message',
  D: 'detail',
  H: 'hint',
  q: 'internalQuery',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
  R: 'routine',
};

/** Reads the body of ErrorResponse or NoticeResponse, which have the same format. */
export function readFields(buffer: Buffer, start: number, end: number): PostgresErrorFields {
  const fields: PostgresErrorFields = { code: 'XX000', severity: 'ERROR', message: '' };
  let offset = start;
  while (offset < end && buffer[offset] !== 0) {
    const letter = String.fromCharCode(buffer[offset] as number);
    const stop = endOfText(buffer, offset + 1);
    const value = buffer.toString('utf8', offset + 1, stop);
    const name = TEXT_FIELDS[letter];
    if (name !== undefined) fields[name] = value;
    else if (letter === 'P') fields.position = Number(value);
    else if (letter === 'p') fields.internalPosition = Number(value);
    offset = stop + 1;
  }
  return fields;
}

export function readError(buffer: Buffer, start: number, end: number): PostgresError {
  return new PostgresError(readFields(buffer, start, end));
}

export function readColumns(buffer: Buffer, start: number): Column[] {
  const count = buffer.readUInt16BE(start);
  const columns: Column[] = new Array(count);
  let offset = start + 2;
  for (let index = 0; index < count; index++) {
    const stop = endOfText(buffer, offset);
    columns[index] = {
      name: buffer.toString('utf8', offset, stop),
      tableOid: buffer.readUInt32BE(stop + 1),
      typeOid: buffer.readUInt32BE(stop + 7),
    };
    offset = stop + 19;
  }
  return columns;
}

export function readParameterTypes(buffer: Buffer, start: number): number[] {
  const count = buffer.readUInt16BE(start);
  return Array.from({ length: count }, (_, index) => buffer.readUInt32BE(start + 2 + index * 4));
}

/** Reads a zero-terminated string. */
export function readText(buffer: Buffer, start: number): string {
  return buffer.toString('utf8', start, endOfText(buffer, start));
}

export function readSetting(buffer: Buffer, start: number): [name: string, value: string] {
  const stop = endOfText(buffer, start);
  return [buffer.toString('utf8', start, stop), readText(buffer, stop + 1)];
}

export function readNotification(buffer: Buffer, start: number): Notification {
  const [channel, payload] = readSetting(buffer, start + 4);
  return { processId: buffer.readInt32BE(start), channel, payload };
}

/**
 * Returns the cells of a DataRow as bytes, without copying the bytes. While a cell is in use, the whole chunk that
 * contains it (up to 64 KiB or one row) remains in memory.
 */
export function readCells(buffer: Buffer, start: number): (Buffer | null)[] {
  const count = buffer.readUInt16BE(start);
  const cells: (Buffer | null)[] = [];
  let offset = start + 2;
  for (let index = 0; index < count; index++) {
    const length = buffer.readInt32BE(offset);
    offset += 4;
    if (length < 0) {
      cells.push(null);
    } else {
      cells.push(buffer.subarray(offset, offset + length));
      offset += length;
    }
  }
  return cells;
}

/** Returns the cells of a DataRow as text. */
export function readTexts(buffer: Buffer, start: number): (string | null)[] {
  const count = buffer.readUInt16BE(start);
  const cells: (string | null)[] = [];
  let offset = start + 2;
  for (let index = 0; index < count; index++) {
    const length = buffer.readInt32BE(offset);
    offset += 4;
    if (length < 0) {
      cells.push(null);
    } else {
      cells.push(buffer.toString('utf8', offset, offset + length));
      offset += length;
    }
  }
  return cells;
}

function endOfText(buffer: Buffer, start: number): number {
  const stop = buffer.indexOf(0, start);
  if (stop < 0) throw new RangeError('A server message ends in the middle of a string.');
  return stop;
}
