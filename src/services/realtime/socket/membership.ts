/** Defines the interface that a channel provides to its parts. */
import type { JoinRequest } from '../core/join.ts';
import type { Member, Topic } from '../hub.ts';
import type { ChannelPermissions } from './channel-permissions.ts';
import type { ChannelSender } from './channel-sender.ts';
import type { ChannelToken } from './channel-token.ts';
import type { SocketContext } from './context.ts';

export interface Membership extends Member {
  readonly context: SocketContext;
  readonly subTopic: string;
  readonly sender: ChannelSender;
  readonly permissions: ChannelPermissions;
  readonly token: ChannelToken;
  /** Undefined until the join is parsed. `joinedTopic` is undefined until the join is accepted. */
  readonly request: JoinRequest | undefined;
  readonly joinedTopic: Topic | undefined;
  /** Whether the client has left the channel or the channel was closed. */
  readonly isClosed: boolean;
  /** Counts a sent or delivered message toward the limit on messages per second. */
  countEvent(): void;
  /**
   * Counts memory that this channel retains for the client. A negative weight releases memory, and closing the channel
   * releases all of this memory. Returns false if the limit was exceeded and the socket was closed.
   */
  hold(weight: number): boolean;
  /** Sends the reason to the client and closes the channel. */
  shutDown(message: string): void;
}
