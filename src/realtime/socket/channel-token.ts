/** The token of a channel. Checked on join, on replacement, on expiry and every five minutes. */
import { type Caller, checkToken, cleanToken, isSecret } from '../core/token.ts';
import { ChannelError, joinRefusals } from '../errors.ts';
import type { JoinedChannel, SocketContext } from './context.ts';

const confirmEveryMs = 5 * 60_000;

export class ChannelToken {
  readonly #context: SocketContext;
  readonly #channel: JoinedChannel;
  readonly #mayUseSecretKeys: boolean;
  #text = '';
  #caller: Caller | undefined;

  constructor(context: SocketContext, channel: JoinedChannel, mayUseSecretKeys: boolean) {
    this.#context = context;
    this.#mayUseSecretKeys = mayUseSecretKeys;
    this.#channel = channel;
  }

  get text(): string {
    return this.#text;
  }

  /** Undefined until the first token is checked. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** @throws {ChannelError} if the token is invalid */
  replace(text: string): Caller {
    this.#text = text;
    this.#caller = this.#judge();
    return this.#caller;
  }

  /** @throws {ChannelError} if the token is no longer valid */
  confirm(): void {
    if (this.#caller !== undefined) this.#judge();
  }

  forget(): void {
    this.#context.tokens.delete(this.#channel);
  }

  #judge(): Caller {
    const { keys, clock, tokens } = this.#context;
    const now = clock.now();
    const judged = checkToken(keys.verify(cleanToken(this.#text)), now);
    if (!judged.ok) throw ChannelError.ofToken(judged.fault);
    if (!this.#mayUseSecretKeys && isSecret(judged.caller)) throw ChannelError.ofJoin(joinRefusals.secretKey);
    tokens.set(this.#channel, Math.min(now + confirmEveryMs, judged.caller.expiresAt * 1000));
    return judged.caller;
  }
}
