/**
 * What a channel's caller may do on its topic. Public topics: everything. Private ones: what the policies said, asked
 * once and kept until the token changes; read rights at the join, write rights when something is written.
 */
import type { Caller } from '../core/token.ts';
import { ChannelError, unauthorizedRead } from '../errors.ts';
import type { Extension, RightsQuery } from '../rights.ts';
import type { SocketContext } from './context.ts';

/** Undefined: not asked yet. */
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
   * Asks anew for a caller; write rights are forgotten. Presence is asked about where it is enabled.
   * @throws {ChannelError} when nothing may be read, or the answer could not be had
   */
  async askToRead(caller: Caller, presence: boolean): Promise<void> {
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

  /** False when the answer could not be had; then nothing is kept. */
  async askToWrite(): Promise<boolean> {
    const caller = this.#caller as Caller;
    try {
      const writable = await this.#context.rights.write(this.#query(caller), ['broadcast', 'presence']);
      if (this.#caller !== caller) return false; // the token changed meanwhile
      this.#known = {
        ...this.#known,
        writeBroadcast: writable.has('broadcast'),
        writePresence: writable.has('presence'),
      };
      return true;
    } catch (error) {
      this.#context.log.warn({ topic: this.#subTopic, error }, 'write rights could not be asked');
      return false;
    }
  }

  /** For a `track` on a channel that had presence off: both sides of presence. False as above. */
  async askForPresence(): Promise<boolean> {
    if (this.#known.readPresence === undefined) {
      try {
        const readable = await this.#context.rights.read(this.#query(this.#caller as Caller), ['presence']);
        this.#known = { ...this.#known, readPresence: readable.has('presence') };
      } catch {
        return false;
      }
    }
    return this.askToWrite();
  }

  #query(caller: Caller): RightsQuery {
    return { subTopic: this.#subTopic, caller, headersJson: this.#headersJson };
  }
}
