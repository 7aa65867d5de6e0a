/** Signs in by sending StartupMessage and responding to the server's authentication requests. */
import { createHash } from 'node:crypto';
import { ConnectionError, PostgresError } from '../errors.ts';
import type { ConnectionOptions, Exchange } from '../exchange.ts';
import type { MessageWriter } from '../messages/message-writer.ts';
import { Authentication, Backend, PROTOCOL_VERSION, readText } from '../messages/messages.ts';
import { readPassword } from './private-files.ts';
import { beginScram, type ScramExchange, type ScramFinal } from './scram.ts';

/** The connection that is being opened. */
interface StartingConnection {
  readonly options: ConnectionOptions;
  readonly writer: MessageWriter;
  processId: number;
  secretKey: Buffer;
  flush(): void;
  destroy(error: Error): void;
}

export class StartupExchange implements Exchange {
  readonly extended = true;
  readonly #connection: StartingConnection;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  #scram: ScramExchange | undefined;
  #scramFinal: ScramFinal | undefined;

  constructor(connection: StartingConnection, resolve: () => void, reject: (error: Error) => void) {
    this.#connection = connection;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    const { user, database, applicationName, options, replication, parameters } = this.#connection.options;
    const settings: Record<string, string> = {
      user,
      database,
      client_encoding: 'UTF8',
      // The way Plinth quotes literals requires this setting, but a database may have a different default.
      standard_conforming_strings: 'on',
      ...(applicationName === undefined ? {} : { application_name: applicationName }),
      ...(options === undefined ? {} : { options }),
      ...(replication === true ? { replication: 'database' } : {}),
      ...parameters,
    };
    this.#connection.writer.startup(PROTOCOL_VERSION, Object.entries(settings));
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === Backend.BackendKeyData) {
      this.#connection.processId = buffer.readInt32BE(start);
      this.#connection.secretKey = Buffer.from(buffer.subarray(start + 4, end));
    } else if (type === Backend.Authentication) {
      this.#authenticate(buffer, start, end).catch((error: Error) => this.#refuse(error));
    }
  }

  failed(error: PostgresError): void {
    this.#reject(error);
  }

  ready(): void {
    this.#resolve();
  }

  lost(error: ConnectionError): void {
    this.#reject(error);
  }

  async #authenticate(buffer: Buffer, start: number, end: number): Promise<void> {
    const { writer } = this.#connection;
    const { user } = this.#connection.options;
    const method = buffer.readInt32BE(start);
    const body = start + 4;
    if (method === Authentication.Ok) {
      if (this.#scram !== undefined && this.#scramFinal === undefined)
        throw new Error('The server ended the SCRAM exchange too early.');
      return;
    }
    if (method === Authentication.SaslFinal) {
      this.#scramFinal?.verify(buffer.toString('utf8', body, end));
      return;
    }
    if (method === Authentication.CleartextPassword) {
      writer.password(await this.#password());
    } else if (method === Authentication.Md5Password) {
      const salt = Buffer.from(buffer.subarray(body, body + 4));
      writer.password(md5Password(user, await this.#password(), salt));
    } else if (method === Authentication.Sasl) {
      // Reads the list of mechanisms before the first `await`, because the buffer's content isn't valid afterward.
      const mechanisms = readTexts(buffer, body);
      this.#scram = beginScram(await this.#password());
      if (!mechanisms.includes(this.#scram.mechanism)) {
        throw new Error("PostgreSQL doesn't offer a supported SASL mechanism.");
      }
      writer.saslInitial(this.#scram.mechanism, this.#scram.firstMessage);
    } else if (method === Authentication.SaslContinue && this.#scram !== undefined) {
      this.#scramFinal = await this.#scram.respond(buffer.toString('utf8', body, end));
      writer.saslResponse(this.#scramFinal.message);
    } else {
      throw new Error(`PostgreSQL requires the authentication method ${method}, which isn't supported.`);
    }
    this.#connection.flush();
  }

  async #password(): Promise<string> {
    const { user, password, passwordFile, ...where } = this.#connection.options;
    if (password !== undefined) return password;
    const missing = (reason: string): PostgresError =>
      new PostgresError({
        severity: 'FATAL',
        code: '28P01',
        message: `PostgreSQL requires the password of ${user}, but ${reason}`,
      });
    if (passwordFile === undefined) throw missing('no password was specified.');
    const found = await readPassword(passwordFile, { ...where, user }).catch((error: Error) => {
      throw missing(`the password file can't be used: ${error.message}`);
    });
    if (found === undefined)
      throw missing(`no password was specified, and ${passwordFile} doesn't contain it.`);
    return found;
  }

  #refuse(cause: Error): void {
    const error =
      cause instanceof PostgresError
        ? cause
        : new ConnectionError({ code: '08001', message: cause.message, untouched: true });
    this.#reject(error);
    this.#connection.destroy(error);
  }
}

function md5Password(user: string, password: string, salt: Buffer): string {
  const inner = createHash('md5')
    .update(password + user)
    .digest('hex');
  return `md5${createHash('md5').update(inner).update(salt).digest('hex')}`;
}

/** Reads zero-terminated strings until an empty string ends the list. */
function readTexts(buffer: Buffer, start: number): string[] {
  const texts: string[] = [];
  let offset = start;
  while (buffer[offset] !== 0) {
    const text = readText(buffer, offset);
    texts.push(text);
    offset += Buffer.byteLength(text) + 1;
  }
  return texts;
}
