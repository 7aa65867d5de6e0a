/**
 * Reads the response to BASE_BACKUP. Between its result sets, the response contains one copy stream with tar archives
 * and a manifest (PostgreSQL 18 documentation, section 54.4).
 */
import type { BaseBackupEnd, BaseBackupPart } from '../types.ts';
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { readTexts } from './messages.ts';
import { Backend } from './protocol.ts';

/** The possible first bytes of a CopyData message, which identify the message's content. */
const NEW_ARCHIVE = 0x6e;
const MANIFEST = 0x6d;
const DATA = 0x64;

class BaseBackup implements Exchange {
  readonly extended = false;
  readonly #onPart: (part: BaseBackupPart) => void;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined, rows: BaseBackupRows) => void;
  readonly #rows: (readonly (string | null)[])[] = [];
  #error: PostgresError | undefined;

  constructor(
    onPart: (part: BaseBackupPart) => void,
    onEnd: (error: PostgresError | ConnectionError | undefined, rows: BaseBackupRows) => void,
  ) {
    this.#onPart = onPart;
    this.#onEnd = onEnd;
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === Backend.DataRow) this.#rows.push(readTexts(buffer, start));
    else if (type === Backend.CopyData) this.#copied(buffer, start, end);
  }

  #copied(buffer: Buffer, start: number, end: number): void {
    if (buffer[start] === DATA) this.#onPart({ kind: 'data', bytes: buffer.subarray(start + 1, end) });
    else if (buffer[start] === NEW_ARCHIVE) this.#onPart({ kind: 'archive' });
    else if (buffer[start] === MANIFEST) this.#onPart({ kind: 'manifest' });
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
  }

  ready(): void {
    this.#onEnd(this.#error, this.#rows);
  }

  lost(error: ConnectionError): void {
    this.#onEnd(this.#error ?? error, this.#rows);
  }
}

type BaseBackupRows = readonly (readonly (string | null)[])[];

/**
 * Runs BASE_BACKUP. The first row contains the start position, and the last row contains the end position. The rows
 * between the first and the last row describe tablespaces.
 */
export function runBaseBackup(
  connection: Connection,
  command: string,
  onPart: (part: BaseBackupPart) => void,
): Promise<BaseBackupEnd> {
  return new Promise((resolve, reject) => {
    const backup = new BaseBackup(onPart, (error, rows) => {
      if (error !== undefined) return reject(error);
      const [startLsn = '', timeline = ''] = rows[0] ?? [];
      const [endLsn = ''] = rows.at(-1) ?? [];
      resolve({ startLsn: startLsn ?? '', endLsn: endLsn ?? '', timeline: Number(timeline) });
    });
    connection.writer.query(command);
    connection.submit(backup);
  });
}
