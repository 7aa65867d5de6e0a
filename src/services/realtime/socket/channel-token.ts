/**
 * A channel's token, which is checked when the client joins or replaces the token, when the token expires, and every
 * five minutes.
 */
import { type Caller, checkToken, cleanToken, isSecret } from '../core/token.ts';
import { ChannelError, joinRejections } from '../errors.ts';
import type { JoinedChannel, SocketContext } from './context.ts';

const confirmEveryMs = 5 * 60_000;

export class ChannelToken {
  readonly #context: SocketContext;
  readonly #channel: JoinedChannel;
  readonly #mayUseSecretKeys: boolean;
  #text = '';
  #caller: Caller | undefined;

  constructor(ctx: SocketContext, channel: JoinedChannel, mayUseSecretKeys: boolean) {
    this.#context = ctx;
    this.#mayUseSecretKeys = mayUseSecretKeys;
    this.#channel = channel;
  }

  get text(): string {
    return this.#text;
  }

  /** The caller. Undefined until the first token is checked. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** Replaces the token. @throws {ChannelError} if the token is invalid */
  replace(text: string): Caller {
    this.#text = text;
    this.#caller = this.#judge();
    return this.#caller;
  }

  /** Checks the current token again. @throws {ChannelError} if the token is no longer valid */
  confirm(): void {
    if (this.#caller !== undefined) this.#judge();
  }

  forget(): void {
    this.#context.tokens.delete(this.#channel);
  }

  #judge(): Caller {
    const { keys, clock, tokens } = this.#context;
    const now = clock.now();
    const result = checkToken(keys.verify(cleanToken(this.#text)), now);
    if (!result.ok) throw ChannelError.ofToken(result.fault);
    if (!this.#mayUseSecretKeys && isSecret(result.caller))
      throw ChannelError.ofJoin(joinRejections.secretKey);
    tokens.set(this.#channel, Math.min(now + confirmEveryMs, result.caller.expiresAt * 1000));
    return result.caller;
  }
}
