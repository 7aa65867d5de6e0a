/** The interface that a channel provides to its parts. */
import type { JoinRequest } from '../core/join.ts';
import type { Member, Room } from '../hub.ts';
import type { ChannelRights } from './channel-rights.ts';
import type { ChannelSender } from './channel-sender.ts';
import type { ChannelToken } from './channel-token.ts';
import type { SocketContext } from './context.ts';

export interface Membership extends Member {
  readonly context: SocketContext;
  readonly subTopic: string;
  readonly sender: ChannelSender;
  readonly rights: ChannelRights;
  readonly token: ChannelToken;
  /** `request` is undefined until the join is parsed, and `room` is undefined until the join is accepted. */
  readonly request: JoinRequest | undefined;
  readonly room: Room | undefined;
  /** Whether the channel has left or was closed. */
  readonly over: boolean;
  /** Counts a sent or delivered message toward the limit of messages per second. */
  countEvent(): void;
  /**
   * Counts memory retained for the client. A negative weight or closing the channel releases memory. Returns false if
   * the limit is exceeded and the socket was closed.
   */
  hold(weight: number): boolean;
  /** Sends the reason to the client and closes the channel. */
  shutDown(message: string): void;
}
