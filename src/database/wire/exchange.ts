/** Defines the options for opening a connection, and the callbacks for the server's messages. */
import type { ConnectionTarget } from './connection-string.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { LargeMessage } from './message-reader.ts';
import type { Notice, Notification } from './messages.ts';

/** Receives the responses to the messages that were submitted with it. */
export interface Exchange {
  /**
   * Whether the messages use the extended protocol. In the simple protocol, the server doesn't report when a statement
   * starts.
   */
  readonly extended: boolean;
  message(type: number, buffer: Buffer, start: number, end: number): void;
  /**
   * Announces a large message. The returned object receives the message in chunks. If undefined is returned, `message`
   * receives it as a whole.
   */
  large?(type: number, sizeBytes: number): LargeMessage | undefined;
  /** Receives an error. The server then ignores messages until the next Sync, and `ready` is called. */
  failed(error: PostgresError): void;
  /** Called with the transaction status when ReadyForQuery arrives. This is the last call. */
  ready(status: number): void;
  /** Called when the connection is lost. This is the last call. */
  lost(error: ConnectionError): void;
}

export interface ConnectionOptions extends ConnectionTarget {
  /** Whether to open a walsender connection, which also accepts SQL. */
  readonly replication?: boolean | undefined;
  /** Whether prepared statements have names. Must be false for a pooler in transaction mode. */
  readonly namedStatements?: boolean | undefined;
  /**
   * Whether all messages are processed when they arrive and never stored. All connections with this option share one
   * read buffer.
   */
  readonly keepsNoBytes?: boolean | undefined;
  /** Whether to send only the settings in `parameters`, because poolers reject settings that they don't support. */
  readonly bareSession?: boolean | undefined;
  /** Called when the server rejects the password. The sign-in is then retried once. */
  readonly onPasswordRejected?: (() => Promise<void>) | undefined;
  /** Additional run-time parameters, which are set when the session starts. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly onNotification?: ((notification: Notification) => void) | undefined;
  /**
   * Called once when the connection has closed after it was open. The error is undefined if this process closed the
   * connection.
   */
  readonly onEnd?: ((error: ConnectionError | undefined) => void) | undefined;
}
