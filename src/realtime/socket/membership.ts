/** What the parts of a channel know of it. */
import type { JoinRequest } from '../core/join.ts';
import type { Member, Room } from '../hub.ts';
import type { ChannelRights } from './channel-rights.ts';
import type { ChannelToken } from './channel-token.ts';
import type { SocketContext } from './context.ts';
import type { Voice } from './voice.ts';

export interface Membership extends Member {
  readonly context: SocketContext;
  readonly subTopic: string;
  readonly voice: Voice;
  readonly rights: ChannelRights;
  readonly token: ChannelToken;
  /** Undefined until the join was read, and until it was granted. */
  readonly request: JoinRequest | undefined;
  readonly room: Room | undefined;
  /** It has left or was closed. */
  readonly over: boolean;
  /** One message sent or delivered, against the limit of messages a second. */
  countEvent(): void;
  /** Counts memory that is kept for the client, until the channel ends or a negative weight takes it away. False: it is too much, and the socket is closed. */
  hold(weight: number): boolean;
  /** Tells the client why, and closes the channel. */
  shutDown(message: string): void;
}
