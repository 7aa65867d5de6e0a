/** A session of the test pooler on PostgreSQL, and the messages of the protocol. */
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { beginScram, type ScramFinal } from '../../src/platform/database/wire/connect/scram.ts';
import type { ConnectionOptions } from '../../src/platform/database/wire/index.ts';

export interface Message {
  readonly type: string;
  readonly body: Buffer;
}

export function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export const errorMessage = (severity: string, code: string, message: string): Buffer =>
  frame('E', Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${message}\0\0`));

/** Splits a buffer into complete messages and the rest. */
export function readMessages(buffer: Buffer): { readonly messages: Message[]; readonly left: Buffer } {
  const messages: Message[] = [];
  let at = 0;
  while (buffer.length - at >= 5 && buffer.length - at > buffer.readInt32BE(at + 1)) {
    const end = at + 1 + buffer.readInt32BE(at + 1);
    messages.push({
      type: String.fromCharCode(buffer[at] as number),
      body: Buffer.from(buffer.subarray(at + 5, end)),
    });
    at = end;
  }
  return { messages, left: Buffer.from(buffer.subarray(at)) };
}

type Status = 'I' | 'T' | 'E' | 'lost';

interface Running {
  readonly write: (chunk: Buffer) => void;
  readonly resolve: (status: Status) => void;
}

interface Answer {
  readonly isForClient: boolean;
  /** The name of the statement that was parsed. */
  readonly name?: string;
}

export class Session {
  readonly parameters = new Map<string, string>();
  ended = false;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #prepared = new Set<string>();
  #settings = '';
  #key: Buffer = Buffer.alloc(0);
  #rest: Buffer = Buffer.alloc(0);
  #running: Running | undefined;
  /** The ParseComplete and CloseComplete messages that will arrive. */
  #answers: Answer[] = [];

  private constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  static async open(options: ConnectionOptions): Promise<Session> {
    const socket = connect(options.port, options.host);
    const session = new Session(socket, options);
    await new Promise<void>((resolve, reject) => session.#signIn(resolve, reject));
    return session;
  }

  end(): void {
    this.ended = true;
    this.#socket.destroy();
  }

  /** Sets the client's settings if the session has different ones. */
  async apply(settings: ReadonlyMap<string, string>): Promise<void> {
    const text = [...settings].map(([name, value]) => `set ${name} to '${value}'`).join(';');
    if (text === this.#settings || this.ended) return;
    this.#settings = text;
    await this.run([{ type: 'Q', body: Buffer.from(`${text}\0`) }], () => undefined);
  }

  /** Sends messages that end with Sync or Query, and resolves with the transaction's status. */
  async run(messages: readonly Message[], write: (chunk: Buffer) => void): Promise<Status> {
    if (this.ended) return 'lost';
    return await new Promise((resolve) => {
      this.#running = { write, resolve };
      this.#socket.write(Buffer.concat(messages.map(({ type, body }) => frame(type, body))));
    });
  }

  /** Replaces the client's statement names, and prepares the statements that this session doesn't have. */
  prepare(statements: Map<string, Buffer>, unit: readonly Message[]): Message[] {
    const sent: Message[] = [];
    const parse = (rest: Buffer, isClients: boolean) => {
      const name = nameOf(rest);
      // Closing a statement that doesn't exist isn't an error.
      sent.push({ type: 'C', body: Buffer.from(`S${name}\0`) });
      sent.push({ type: 'P', body: Buffer.concat([Buffer.from(`${name}\0`), rest]) });
      this.#answers.push({ isForClient: false }, { isForClient: isClients, name });
      this.#prepared.add(name);
    };
    const known = (given: string): string => {
      const rest = statements.get(given);
      if (rest === undefined) return given;
      if (!this.#prepared.has(nameOf(rest))) parse(rest, false);
      return nameOf(rest);
    };
    for (const { type, body } of unit) {
      const at = type === 'B' ? body.indexOf(0) + 1 : type === 'D' || type === 'C' ? 1 : 0;
      const end = body.indexOf(0, at);
      const given = body.toString('utf8', at, end);
      const isNamed =
        given !== '' && (type === 'P' || type === 'B' || ((type === 'D' || type === 'C') && body[0] === 83));
      if (type === 'P' && isNamed) {
        statements.set(given, body.subarray(end + 1));
        parse(body.subarray(end + 1), true);
      } else if (type === 'C' && isNamed) {
        // The session keeps the statement for other clients, and this name doesn't exist in any session.
        statements.delete(given);
        sent.push({ type, body });
        this.#answers.push({ isForClient: true });
      } else if (isNamed) {
        const name = known(given);
        sent.push({
          type,
          body: Buffer.concat([body.subarray(0, at), Buffer.from(name), body.subarray(end)]),
        });
      } else {
        if (type === 'P' || type === 'C') this.#answers.push({ isForClient: true });
        sent.push({ type, body });
      }
    }
    return sent;
  }

  async cancel(): Promise<void> {
    const { port, host } = this.#options;
    const socket = connect(port, host);
    const body = Buffer.alloc(16);
    body.writeInt32BE(16, 0);
    body.writeInt32BE(80_877_102, 4);
    this.#key.copy(body, 8);
    socket.write(body);
    await new Promise<void>((resolve) => {
      socket.on('error', () => undefined).on('close', () => resolve());
      socket.resume();
    });
  }

  #signIn(resolve: () => void, reject: (error: Error) => void): void {
    const { user, database, password = '' } = this.#options;
    const scram = beginScram(password);
    let final: ScramFinal | undefined;
    const socket = this.#socket;
    const words = ['user', user, 'database', database, ''].map((word) => `${word}\0`).join('');
    const startup = Buffer.alloc(8);
    startup.writeInt32BE(8 + words.length, 0);
    startup.writeInt32BE(196_608, 4);
    socket.write(Buffer.concat([startup, Buffer.from(words)]));
    let isReady = false;
    socket.on('error', reject);
    socket.on('close', () => {
      this.ended = true;
      reject(new Error('PostgreSQL closed the connection.'));
      this.#running?.resolve('lost');
    });
    const authenticate = async (body: Buffer): Promise<void> => {
      const method = body.readInt32BE(0);
      if (method === 10) {
        const first = Buffer.from(scram.firstMessage);
        const size = Buffer.alloc(4);
        size.writeInt32BE(first.length);
        socket.write(frame('p', Buffer.concat([Buffer.from(`${scram.mechanism}\0`), size, first])));
      } else if (method === 11) {
        final = await scram.respond(body.toString('utf8', 4));
        socket.write(frame('p', Buffer.from(final.message)));
      }
    };
    socket.on('data', (chunk: Buffer) => {
      if (isReady) {
        this.#forward(chunk);
        return;
      }
      const { messages, left } = readMessages(Buffer.concat([this.#rest, chunk]));
      this.#rest = left;
      for (const { type, body } of messages) {
        if (type === 'R') authenticate(body).catch(reject);
        else if (type === 'K') this.#key = body;
        else if (type === 'S') {
          const [name = '', value = ''] = body.toString('utf8').split('\0');
          this.parameters.set(name, value);
        } else if (type === 'E') {
          reject(new Error(/\0M([^\0]*)/.exec(body.toString('utf8'))?.[1]));
        } else if (type === 'Z') {
          isReady = true;
          resolve();
        }
      }
    });
  }

  #forward(chunk: Buffer): void {
    const { messages, left } = readMessages(Buffer.concat([this.#rest, chunk]));
    this.#rest = left;
    for (const { type, body } of messages) {
      const answer = type === '1' || type === '3' ? this.#answers.shift() : undefined;
      if (answer?.isForClient !== false) this.#running?.write(frame(type, body));
      if (type !== 'Z') continue;
      // After an error, PostgreSQL has skipped the remaining messages.
      for (const { name } of this.#answers) if (name !== undefined) this.#prepared.delete(name);
      this.#answers = [];
      const running = this.#running;
      this.#running = undefined;
      running?.resolve(body.toString('latin1') as Status);
    }
  }
}

const nameOf = (rest: Buffer): string =>
  `pooled_${createHash('sha256').update(rest).digest('hex').slice(0, 24)}`;
