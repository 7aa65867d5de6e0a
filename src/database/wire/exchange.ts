/** Options for opening a connection and callbacks for the server's messages. */
import type { ConnectionTarget } from './connection-string.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { LargeMessage } from './message-reader.ts';
import type { Notice, Notification } from './messages.ts';

/** Receives the responses to the messages submitted with it. */
export interface Exchange {
  /** False for the simple protocol, which doesn't report that a statement has started. */
  readonly extended: boolean;
  message(type: number, buffer: Buffer, start: number, end: number): void;
  /** Announces a large message. Return undefined to receive it as a whole in `message`. */
  large?(type: number, sizeBytes: number): LargeMessage | undefined;
  /** Receives an ErrorResponse. The server then skips to the next Sync, and `ready` follows. */
  failed(error: PostgresError): void;
  /** Called for ReadyForQuery, with the transaction status. Ends the exchange. */
  ready(status: number): void;
  /** Called when the connection is lost. Also ends the exchange. */
  lost(error: ConnectionError): void;
}

export interface ConnectionOptions extends ConnectionTarget {
  /** Whether this is a walsender connection that also accepts SQL. */
  readonly replication?: boolean | undefined;
  /** False if statements don't have names, for a pooler in transaction mode. */
  readonly namedStatements?: boolean | undefined;
  /**
   * Whether messages are processed as they arrive and never kept, so that all such connections can share a read buffer.
   */
  readonly keepsNoBytes?: boolean | undefined;
  /** Whether to omit all settings except `parameters`, because poolers reject unknown settings. */
  readonly bareSession?: boolean | undefined;
  /** Called when the server rejects the password. The sign-in is then retried once. */
  readonly onPasswordRefused?: (() => Promise<void>) | undefined;
  /** Additional run-time parameters of the session. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly onNotification?: ((notification: Notification) => void) | undefined;
  /** Called once when an open connection has ended. The error is undefined if this process closed the connection. */
  readonly onEnd?: ((error: ConnectionError | undefined) => void) | undefined;
}
