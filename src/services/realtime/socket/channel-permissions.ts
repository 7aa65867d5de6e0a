/**
 * The permissions that a channel's caller has for the channel's topic. On a public topic, all operations are allowed.
 * On a private topic, policies determine the permissions, which are cached until the token changes. Read permissions
 * are queried for the join, and write permissions before the first write.
 */
import { type Caller, clientOf } from '../core/token.ts';
import { ChannelError, unauthorizedRead } from '../errors.ts';
import type { Extension, PermissionsQuery } from '../permissions.ts';
import type { ChannelSocket, SocketContext } from './context.ts';

type ConnectionFacts = Pick<ChannelSocket, 'headersJson' | 'address'>;

/** The permissions. A permission is undefined until it is queried. */
interface KnownPermissions {
  readonly readBroadcast: boolean | undefined;
  readonly readPresence: boolean | undefined;
  readonly writeBroadcast: boolean | undefined;
  readonly writePresence: boolean | undefined;
}

const notQueried: KnownPermissions = {
  readBroadcast: undefined,
  readPresence: undefined,
  writeBroadcast: undefined,
  writePresence: undefined,
};
const allAllowed: KnownPermissions = {
  readBroadcast: true,
  readPresence: true,
  writeBroadcast: true,
  writePresence: true,
};

export class ChannelPermissions {
  readonly #context: SocketContext;
  readonly #subTopic: string;
  readonly #headersJson: string;
  readonly #address: string;
  #current: KnownPermissions = notQueried;
  #caller: Caller | undefined;

  constructor(ctx: SocketContext, subTopic: string, connection: ConnectionFacts) {
    this.#context = ctx;
    this.#subTopic = subTopic;
    this.#headersJson = connection.headersJson;
    this.#address = connection.address;
  }

  get current(): KnownPermissions {
    return this.#current;
  }

  allowAll(): void {
    this.#current = allAllowed;
  }

  /**
   * Queries the caller's read permissions and resets the write permissions. The permission for presence is queried only
   * if presence is enabled.
   * @throws {ChannelError} if the caller doesn't have any read permission, or if the query failed
   */
  async queryRead(caller: Caller, presence: boolean): Promise<void> {
    this.#caller = caller;
    const extensions: Extension[] = presence ? ['broadcast', 'presence'] : ['broadcast'];
    const readable = await this.#context.permissions.read(this.#query(caller), extensions);
    this.#current = {
      ...notQueried,
      readBroadcast: readable.has('broadcast'),
      readPresence: presence ? readable.has('presence') : undefined,
    };
    if (readable.size === 0) throw this.readDenied();
  }

  readDenied(): ChannelError {
    const text = unauthorizedRead(this.#subTopic);
    return new ChannelError(`Unauthorized: ${text}`, text);
  }

  /** Returns false and caches nothing if the query failed. */
  async queryWrite(): Promise<boolean> {
    const caller = this.#caller as Caller;
    try {
      const writable = await this.#context.permissions.write(this.#query(caller), ['broadcast', 'presence']);
      if (this.#caller !== caller) return false; // The token changed during the query, so the result is discarded.
      this.#current = {
        ...this.#current,
        writeBroadcast: writable.has('broadcast'),
        writePresence: writable.has('presence'),
      };
      return true;
    } catch (error) {
      this.#context.log.warn({ topic: this.#subTopic, error }, 'failed to check write permissions');
      return false;
    }
  }

  /**
   * Queries presence permissions after a `track` on a channel that joined with presence disabled. Returns false if a
   * query failed.
   */
  async queryPresence(): Promise<boolean> {
    if (this.#current.readPresence === undefined) {
      try {
        const readable = await this.#context.permissions.read(this.#query(this.#caller as Caller), [
          'presence',
        ]);
        this.#current = { ...this.#current, readPresence: readable.has('presence') };
      } catch {
        return false;
      }
    }
    return this.queryWrite();
  }

  #query(caller: Caller): PermissionsQuery {
    const client = clientOf(caller, this.#address);
    return { subTopic: this.#subTopic, caller, headersJson: this.#headersJson, client };
  }
}
