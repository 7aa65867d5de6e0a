/** Defines the interface that a socket provides to its channels. */
import type { Frame, Version } from '../core/frame.ts';

export interface ChannelSocket {
  readonly version: Version;
  /** The token for channels whose clients don't send a separate token. */
  readonly token: string;
  /** The `x-` headers of the handshake, as JSON. */
  readonly headersJson: string;
  readonly mayUseSecretKeys: boolean;
  readonly address: string;
  readonly channels: { readonly size: number };
  send(frame: Frame): void;
  push(joinRef: string | null, ref: string | null, topic: string, event: string, payloadJson: string): void;
  close(code: number, reason: string): void;
  /** Pauses (1) or resumes (-1) reading from the socket. */
  stall(by: 1 | -1): void;
  /**
   * Counts memory that is retained for the client. If the memory exceeds the limit, closes the socket and returns
   * false.
   */
  hold(weight: number): boolean;
  release(weight: number): void;
  /** Called after a channel was joined with this role. */
  joined(role: string): void;
  forget(channel: { readonly topic: string }): void;
}
