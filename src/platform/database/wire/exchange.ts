/** Defines the options for opening a connection, and the callbacks for the server's messages. */
import type { ConnectionTarget } from './connect/connection-string.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { LargeMessage } from './messages/message-reader.ts';
import type { Notice, Notification } from './messages/messages.ts';

/** Receives the responses to the messages that were submitted together with this exchange. */
export interface Exchange {
  /**
   * Whether the messages use the extended protocol. In the simple protocol, the server doesn't report when a statement
   * starts.
   */
  readonly extended: boolean;
  message(type: number, buffer: Buffer, start: number, end: number): void;
  /**
   * Called before a large message. The returned object receives the message in chunks. If undefined is returned,
   * `message` receives the message as a whole.
   */
  large?(type: number, sizeBytes: number): LargeMessage | undefined;
  /** Receives an error. After an error, the server ignores messages until the next Sync, and then `ready` is called. */
  failed(error: PostgresError): void;
  /** Called with the transaction status when ReadyForQuery arrives. No other method is called afterward. */
  ready(status: number): void;
  /** Called when the connection is lost. No other method is called afterward. */
  lost(error: ConnectionError): void;
}

export interface ConnectionOptions extends ConnectionTarget {
  /** Whether to open a replication connection, which also accepts SQL. */
  readonly replication?: boolean | undefined;
  /** Whether prepared statements have names. The option must be false behind a pooler in transaction mode. */
  readonly namedStatements?: boolean | undefined;
  /**
   * Whether a pooler in transaction mode is between Plinth and PostgreSQL. Each transaction can then run in a different
   * session, and other clients use the same sessions.
   */
  readonly isPooled?: boolean | undefined;
  /**
   * Whether the bytes of every message are processed when they arrive and aren't used afterward. All connections with
   * this option share a single read buffer.
   */
  readonly keepsNoBytes?: boolean | undefined;
  /**
   * Whether the server passes the settings of a request on to other servers, which Citus does only with SET LOCAL in a
   * transaction that BEGIN has started.
   */
  readonly passesSettingsOn?: boolean | undefined;
  /** Whether to send only the settings in `parameters`, because poolers reject settings that they don't support. */
  readonly bareSession?: boolean | undefined;
  /**
   * Called when the server rejects the password. After the promise has resolved, the client tries once more to sign in.
   */
  readonly onPasswordRejected?: (() => Promise<void>) | undefined;
  /** Ends the attempt to connect when it is aborted. An open connection isn't affected. */
  readonly connectSignal?: AbortSignal | undefined;
  /** Additional run-time parameters, which are set when the session starts. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly onNotification?: ((notification: Notification) => void) | undefined;
  /**
   * Called once when the connection has closed after it was open. The callback's argument is undefined if this process
   * closed the connection.
   */
  readonly onEnd?: ((error: ConnectionError | undefined) => void) | undefined;
}
