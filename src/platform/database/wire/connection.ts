/**
 * A connection to a PostgreSQL server. Messages are written to `writer` and sent with `submit`, together with the
 * exchange that receives the responses. Several exchanges can be in flight, and each exchange ends with a ReadyForQuery
 * message.
 */
import type { Socket } from 'node:net';
import { DEFAULT_TIMEOUT_MS, isOfKind, openFirst, openSocket } from './connect/socket.ts';
import { StartupExchange } from './connect/startup.ts';
import { ConnectionError, type PostgresError } from './errors.ts';
import type { ConnectionOptions, Exchange } from './exchange.ts';
import { type LargeMessage, MessageReader } from './messages/message-reader.ts';
import { MessageWriter } from './messages/message-writer.ts';
import {
  Backend,
  CANCEL_REQUEST,
  type Notice,
  type Notification,
  readError,
  readFields,
  readNotification,
  readSetting,
  Status,
} from './messages/messages.ts';

/** The SQLSTATEs with which the server can end a session before it starts the next statement. */
const GOODBYES: readonly string[] = ['57P01', '57P05', '25P03'];

/**
 * The time limit for a cancel request. PostgreSQL responds to a cancel request by closing the connection, but a proxy
 * might not close it.
 */
const CANCEL_TIMEOUT_MS = 5_000;

export class Connection {
  readonly writer = new MessageWriter();
  /** The parameters that the server reports about itself and the session (`server_version`, `TimeZone` …). */
  readonly parameters = new Map<string, string>();
  processId = 0;
  secretKey: Buffer = Buffer.alloc(0);
  transactionStatus: number = Status.Idle;
  onNotification: ((notification: Notification) => void) | undefined;
  onNotice: ((notice: Notice) => void) | undefined;
  readonly options: ConnectionOptions;
  readonly #exchanges: Exchange[] = [];
  readonly #reader = new MessageReader(
    (type, buffer, start, end) => this.#receive(type, buffer, start, end),
    (type, sizeBytes) => this.#receiveLarge(type, sizeBytes),
  );
  #socket: Socket | undefined;
  /** The number of messages that the oldest exchange in flight has received. */
  #headMessages = 0;
  /**
   * The number of exchanges whose messages haven't been written to the socket yet. `#lastWritten` is the number of
   * exchanges whose messages were in the last write.
   */
  #unwritten = 0;
  #lastWritten = 0;
  #flushScheduled = false;
  #goodbye: PostgresError | undefined;
  #closing = false;
  #closed: Promise<void> | undefined;
  #opened = false;
  #ended = false;

  private constructor(options: ConnectionOptions) {
    this.options = options;
    this.onNotification = options.onNotification;
    this.onNotice = options.onNotice;
  }

  static async open(options: ConnectionOptions): Promise<Connection> {
    const open = () => openFirst(options, (one) => Connection.#openOne(one));
    try {
      return await open();
    } catch (error) {
      const { onPasswordRejected } = options;
      if (onPasswordRejected === undefined || (error as ConnectionError).code !== '28P01') throw error;
      await onPasswordRejected();
      return await open();
    }
  }

  static async #openOne(options: ConnectionOptions): Promise<Connection> {
    const { connectSignal } = options;
    connectSignal?.throwIfAborted();
    const connection = new Connection(options);
    connection.#socket = await openSocket(options, (chunk) => connection.#read(chunk), options.keepsNoBytes);
    const timeoutMs = options.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS;
    const late = () =>
      connection.#end(new Error(`PostgreSQL didn't complete the login within ${timeoutMs} ms.`));
    const timer = setTimeout(late, timeoutMs);
    const abort = () => connection.#end(new Error('The login was aborted.'));
    connectSignal?.addEventListener('abort', abort);
    connection.#socket.on('error', (error) => connection.#end(error));
    connection.#socket.on('close', () => connection.#end());
    try {
      await new Promise<void>((resolve, reject) => {
        const startup = new StartupExchange(connection, resolve, reject);
        startup.begin();
        connection.submit(startup);
      });
      const { sessionKind = 'any', host, port } = options;
      if (!isOfKind(sessionKind, connection.parameters)) {
        const message = `The session at ${host}:${port} isn't ${sessionKind} (target_session_attrs).`;
        throw new ConnectionError({ code: '08001', message, untouched: true });
      }
    } catch (error) {
      connection.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      connectSignal?.removeEventListener('abort', abort);
    }
    connection.#opened = true;
    return connection;
  }

  /** The number of exchanges that haven't ended. */
  get inFlight(): number {
    return this.#exchanges.length;
  }

  /**
   * Whether a write to the socket is scheduled. If so, messages that are submitted now are sent together with earlier
   * messages.
   */
  get flushPending(): boolean {
    return this.#flushScheduled;
  }

  /** Whether no exchange is in flight and no transaction is open. */
  get idle(): boolean {
    return this.#exchanges.length === 0 && this.transactionStatus === Status.Idle;
  }

  get ended(): boolean {
    return this.#ended || this.#closing;
  }

  /** Sends the messages in `writer` and registers `exchange`, which receives the responses. */
  submit(exchange: Exchange): void {
    if (this.#ended || this.#closing) {
      this.writer.take();
      exchange.lost(this.#lostError(undefined, true));
      return;
    }
    this.#exchanges.push(exchange);
    this.#unwritten++;
    // Writing immediately wouldn't be faster while other exchanges are in flight. All messages submitted in one turn of
    // the event loop are sent in one write.
    this.#scheduleFlush();
  }

  /**
   * Sends the messages in `writer` without registering an exchange. This method is used for authentication and COPY
   * data.
   */
  flush(): void {
    if (this.writer.length === 0 || this.#socket === undefined) return;
    this.#lastWritten = this.#unwritten;
    this.#unwritten = 0;
    this.#socket.write(this.writer.take());
    // The kernel has usually accepted all data at this point, so the buffer can be reused. If the kernel hasn't
    // accepted all data, a new buffer is needed.
    if (this.#socket.writableLength > 0) this.writer.renew();
  }

  /**
   * Resolves when the kernel has accepted all data. A fast producer must wait for this promise, so that unsent data
   * doesn't fill the memory.
   */
  async drained(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || this.#ended || !socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.on('drain', done).on('close', done);
    });
  }

  /** Sends a cancel request for the running statement. Resolves once the request has been delivered. */
  async cancel(): Promise<void> {
    const writer = new MessageWriter();
    writer.cancelRequest(CANCEL_REQUEST, this.processId, this.secretKey);
    const socket = await openSocket(this.options, () => {});
    await new Promise<void>((resolve) => {
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
      socket.write(writer.take());
      socket.resume();
    });
  }

  /** Waits until the exchanges in flight have ended, and then ends the session. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#closed ??= new Promise<void>((resolve) => {
      this.#socket?.once('close', () => resolve());
    });
    if (!this.#closing && this.#exchanges.length === 0) this.#terminate();
    this.#closing = true;
    await this.#closed;
  }

  /** Closes the connection immediately. All exchanges in flight fail with an error. */
  destroy(error?: Error): void {
    this.#end(error);
  }

  /**
   * Stops reading until {@link resume} is called, so TCP flow control makes the server wait. Data that was already read
   * is still delivered.
   */
  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    if (!this.#ended) this.#socket?.resume();
  }

  #terminate(): void {
    this.writer.terminate();
    this.#socket?.end(this.writer.take());
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    setImmediate(() => {
      this.#flushScheduled = false;
      if (!this.#ended) this.flush();
    });
  }

  #read(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #receive(type: number, buffer: Buffer, start: number, end: number): void {
    switch (type) {
      case Backend.ReadyForQuery: {
        this.transactionStatus = buffer[start] as number;
        const exchange = this.#exchanges.shift();
        this.#headMessages = 0;
        exchange?.ready(this.transactionStatus);
        if (this.#closing && this.#exchanges.length === 0) this.#terminate();
        return;
      }
      case Backend.ErrorResponse: {
        const error = readError(buffer, start, end);
        if (error.severity !== 'ERROR') this.#goodbye = error;
        else this.#exchanges[0]?.failed(error);
        return;
      }
      case Backend.NoticeResponse:
        this.onNotice?.(readFields(buffer, start, end));
        return;
      case Backend.NotificationResponse:
        this.onNotification?.(readNotification(buffer, start));
        return;
      case Backend.ParameterStatus:
        this.parameters.set(...readSetting(buffer, start));
        return;
      default:
        this.#headMessages++;
        this.#exchanges[0]?.message(type, buffer, start, end);
    }
  }

  #receiveLarge(type: number, sizeBytes: number): LargeMessage | undefined {
    const large = this.#exchanges[0]?.large?.(type, sizeBytes);
    if (large !== undefined) this.#headMessages++;
    return large;
  }

  #end(cause?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket?.destroy();
    // If the session ends before the first response to a statement, the server hasn't started that statement. If the
    // server had started the statement, its response to Parse or Bind would have arrived first.
    // A pooler can end the connection while PostgreSQL is still executing the statement.
    const saidGoodbye =
      this.options.isPooled !== true && this.#goodbye !== undefined && GOODBYES.includes(this.#goodbye.code);
    const headUntouched = saidGoodbye && this.#headMessages === 0;
    // EPIPE means that the last write wasn't delivered, so the server didn't receive that write's Sync.
    const unread = (cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
    const firstUnread = this.#exchanges.length - this.#unwritten - (unread ? this.#lastWritten : 0);
    this.#exchanges.splice(0).forEach((exchange, index) => {
      const untouched =
        index >= firstUnread || (index > 0 ? saidGoodbye : headUntouched && exchange.extended);
      exchange.lost(this.#lostError(cause, untouched));
    });
    if (this.#opened) this.options.onEnd?.(this.#closing ? undefined : this.#lostError(cause, false));
  }

  #lostError(cause: Error | undefined, untouched: boolean): ConnectionError {
    if (this.#goodbye !== undefined) {
      return new ConnectionError({ ...this.#goodbye, message: this.#goodbye.message, untouched }, { cause });
    }
    if (!this.#opened) {
      const message = cause?.message ?? 'PostgreSQL closed the connection during the login.';
      return new ConnectionError({ code: '08001', message, untouched }, { cause });
    }
    const message = this.#closing
      ? 'The connection to PostgreSQL is closed.'
      : 'The connection to PostgreSQL was lost.';
    return new ConnectionError({ code: '08006', message, untouched }, { cause });
  }
}
