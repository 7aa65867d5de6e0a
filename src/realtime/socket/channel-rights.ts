/**
 * The permissions of a channel's caller on its topic. Public topics allow everything. Permissions on private topics are
 * the results of policies, cached until the token changes. Read permissions are queried on join, and write permissions
 * before the first write.
 */
import type { Caller } from '../core/token.ts';
import { ChannelError, unauthorizedRead } from '../errors.ts';
import type { Extension, RightsQuery } from '../rights.ts';
import type { SocketContext } from './context.ts';

/** Undefined if not queried yet. */
interface Known {
  readonly readBroadcast: boolean | undefined;
  readonly readPresence: boolean | undefined;
  readonly writeBroadcast: boolean | undefined;
  readonly writePresence: boolean | undefined;
}

const nothing: Known = {
  readBroadcast: undefined,
  readPresence: undefined,
  writeBroadcast: undefined,
  writePresence: undefined,
};
const everything: Known = {
  readBroadcast: true,
  readPresence: true,
  writeBroadcast: true,
  writePresence: true,
};

export class ChannelRights {
  readonly #context: SocketContext;
  readonly #subTopic: string;
  readonly #headersJson: string;
  #known: Known = nothing;
  #caller: Caller | undefined;

  constructor(context: SocketContext, subTopic: string, headersJson: string) {
    this.#context = context;
    this.#subTopic = subTopic;
    this.#headersJson = headersJson;
  }

  get known(): Known {
    return this.#known;
  }

  allowEverything(): void {
    this.#known = everything;
  }

  /**
   * Queries read permissions for a caller and resets write permissions. Presence is only queried if enabled.
   * @throws {ChannelError} if the caller can't read anything or the query failed
   */
  async queryRead(caller: Caller, presence: boolean): Promise<void> {
    this.#caller = caller;
    const extensions: Extension[] = presence ? ['broadcast', 'presence'] : ['broadcast'];
    const readable = await this.#context.rights.read(this.#query(caller), extensions);
    this.#known = {
      ...nothing,
      readBroadcast: readable.has('broadcast'),
      readPresence: presence ? readable.has('presence') : undefined,
    };
    if (readable.size === 0) throw this.mayNotRead();
  }

  mayNotRead(): ChannelError {
    const text = unauthorizedRead(this.#subTopic);
    return new ChannelError(`Unauthorized: ${text}`, text);
  }

  /** Returns false if the query failed, in which case nothing is cached. */
  async queryWrite(): Promise<boolean> {
    const caller = this.#caller as Caller;
    try {
      const writable = await this.#context.rights.write(this.#query(caller), ['broadcast', 'presence']);
      if (this.#caller !== caller) return false; // The token changed during the query.
      this.#known = {
        ...this.#known,
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
    if (this.#known.readPresence === undefined) {
      try {
        const readable = await this.#context.rights.read(this.#query(this.#caller as Caller), ['presence']);
        this.#known = { ...this.#known, readPresence: readable.has('presence') };
      } catch {
        return false;
      }
    }
    return this.queryWrite();
  }

  #query(caller: Caller): RightsQuery {
    return { subTopic: this.#subTopic, caller, headersJson: this.#headersJson };
  }
}
