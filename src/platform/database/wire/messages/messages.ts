/**
 * The constants of PostgreSQL's frontend/backend protocol, version 3.0 (PostgreSQL 18 documentation, chapter 54), and
 * parsers for the bodies of its messages.
 */
import { PostgresError, type PostgresErrorFields } from '../errors.ts';

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

export const PROTOCOL_VERSION = 196_608;
export const SSL_REQUEST = 80_877_103;
export const CANCEL_REQUEST = 80_877_102;

/** The byte that identifies each type of message from the server. */
export const Backend = {
  Authentication: 0x52,
  BackendKeyData: 0x4b,
  BindComplete: 0x32,
  CloseComplete: 0x33,
  CommandComplete: 0x43,
  CopyBothResponse: 0x57,
  CopyData: 0x64,
  CopyDone: 0x63,
  CopyInResponse: 0x47,
  CopyOutResponse: 0x48,
  DataRow: 0x44,
  EmptyQueryResponse: 0x49,
  ErrorResponse: 0x45,
  NegotiateProtocolVersion: 0x76,
  NoData: 0x6e,
  NoticeResponse: 0x4e,
  NotificationResponse: 0x41,
  ParameterDescription: 0x74,
  ParameterStatus: 0x53,
  ParseComplete: 0x31,
  PortalSuspended: 0x73,
  ReadyForQuery: 0x5a,
  RowDescription: 0x54,
} as const;

/** The byte that identifies each type of message to the server. */
export const Frontend = {
  Bind: 0x42,
  Close: 0x43,
  CopyData: 0x64,
  CopyDone: 0x63,
  CopyFail: 0x66,
  Describe: 0x44,
  Execute: 0x45,
  Parse: 0x50,
  Password: 0x70,
  Query: 0x51,
  Sync: 0x53,
  Terminate: 0x58,
} as const;

/** The status byte in ReadyForQuery. */
export const Status = { Idle: 0x49, InTransaction: 0x54, Failed: 0x45 } as const;

/** The subcodes of Authentication messages. */
export const Authentication = {
  Ok: 0,
  CleartextPassword: 3,
  Md5Password: 5,
  Sasl: 10,
  SaslContinue: 11,
  SaslFinal: 12,
} as const;
