/**
 * Exchanges questions and answers with the other nodes through rows of `_plinth.group_messages`
 * (docs/decisions/0107-group-view.md).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/kernel/log.ts';
import type { Pool } from '../database/types.ts';
import { type MessageRow, sendMessage, takeMessages } from './message-queries.ts';
import { type MessageSeal, OnceOnly } from './message-seal.ts';
import { listKnownNodes, type NodeRow } from './nodes.ts';
import {
  type Answerers,
  type AnswerQuestion,
  type AskOptions,
  type GroupView,
  type MissingAnswer,
  type NodeAnswer,
  ownAnswer,
  type ViewNode,
  withDistinctNames,
} from './view.ts';

interface MailboxOptions {
  readonly pool: Pool;
  readonly seal: MessageSeal;
  readonly node: NodeRow;
  readonly channel: string;
  readonly log: Logger;
}

type Message =
  | { readonly kind: 'question'; readonly number: number; readonly question: string; readonly input: unknown }
  | { readonly kind: 'answer'; readonly to: string; readonly value: unknown }
  | { readonly kind: 'no answer'; readonly to: string; readonly reason: MissingAnswer };

type Reply = { readonly value: unknown } | { readonly reason: MissingAnswer };

const defaultTimeoutMs = 1500;
/** An answer that takes longer isn't sent, because the asking node has stopped waiting. */
const maxAnswerMs = 5000;
const maxMessageBytes = 4 * 1024 * 1024;
const maxAnswering = 16;
/** The minimum time between two reactions to notifications, because every role can send them. */
const minPauseMs = 10;
/** How often a node that waits for answers looks for them, in case that notifications don't arrive. */
const pollMs = 250;

export class Mailbox implements GroupView {
  readonly isShared = true;
  readonly self: string;
  readonly #options: MailboxOptions;
  readonly #answerers: Answerers = new Map();
  readonly #once = new OnceOnly();
  /** What to do with the answer to a question, by the IDs of the question and the recipient. */
  readonly #pending = new Map<string, (reply: Reply) => void>();
  readonly #startedAtMs = Date.now();
  #asked = 0;
  #answering = 0;
  #isDue = false;
  #receiving: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.self = options.node.id;
  }

  answer(question: string, handler: AnswerQuestion): void {
    this.#answerers.set(question, handler);
  }

  async nodes(): Promise<readonly ViewNode[]> {
    const known = await listKnownNodes(this.#options.pool);
    const all = known.some(({ id }) => id === this.self) ? known : [...known, this.#ownNode()];
    return withDistinctNames(all);
  }

  #ownNode(): ViewNode {
    const { id, name, version } = this.#options.node;
    return { id, name, version, startedAtMs: this.#startedAtMs, seenAtMs: Date.now(), isRunning: true };
  }

  async ask<Value>(
    question: string,
    input: unknown,
    { nodes: wanted, others = false, timeoutMs = defaultTimeoutMs }: AskOptions = {},
  ): Promise<readonly NodeAnswer<Value>[]> {
    const signal = AbortSignal.timeout(timeoutMs);
    // If the database is unreachable, this node still answers.
    const listed = this.nodes().catch(() => [this.#ownNode()]);
    const all = await Promise.race([listed, sleep(timeoutMs, [this.#ownNode()], { ref: false })]);
    const asked = all.filter(
      ({ id, isRunning }) => isRunning && (wanted?.includes(id) ?? true) && !(others && id === this.self),
    );
    const poll = setInterval(() => this.receive(), pollMs).unref();
    try {
      return await Promise.all(
        asked.map(async (node): Promise<NodeAnswer<Value>> => {
          if (node.id === this.self) return await ownAnswer(this.#answerers, node, [question, input]);
          const reply = await this.#askOne(node.id, { question, input }, signal);
          return 'value' in reply
            ? { node, missing: undefined, value: reply.value as Value }
            : { node, missing: reply.reason };
        }),
      );
    } finally {
      clearInterval(poll);
    }
  }

  async #askOne(
    recipient: string,
    about: { readonly question: string; readonly input: unknown },
    signal: AbortSignal,
  ): Promise<Reply> {
    const id = randomUUID();
    const key = `${id} ${recipient}`;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const giveUp = (): void => resolve({ reason: 'silent' });
    signal.addEventListener('abort', giveUp);
    this.#pending.set(key, resolve);
    this.#send(id, recipient, { kind: 'question', number: ++this.#asked, ...about }).catch(giveUp);
    try {
      return await promise;
    } finally {
      this.#pending.delete(key);
      signal.removeEventListener('abort', giveUp);
    }
  }

  async #send(id: string, recipient: string, message: Message): Promise<void> {
    const { pool, seal, channel } = this.#options;
    const text = JSON.stringify(message);
    if (text.length > maxMessageBytes) throw new RangeError('the message is too long');
    const envelope = { id, sender: this.self, recipient };
    await sendMessage(pool, { ...envelope, content: seal.close(envelope, text) }, channel);
  }

  /** Reads the messages for this node. Called when a notification arrives, and regularly if none arrive. */
  receive(): void {
    if (this.#isStopped) return;
    this.#isDue = true;
    this.#receiving ??= this.#receiveAll().finally(() => {
      this.#receiving = undefined;
    });
  }

  async #receiveAll(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false;
      try {
        const rows = await takeMessages(this.#options.pool, this.self);
        for (const row of rows) this.#receiveOne(row);
        if (rows.length > 0) this.#isDue = true;
      } catch (error) {
        this.#options.log.debug({ error }, "the messages of other nodes can't be read");
      }
      await sleep(minPauseMs, undefined, { ref: false });
    }
  }

  #receiveOne(row: MessageRow): void {
    const { seal, log } = this.#options;
    const text = seal.open(row, row.content);
    if (text === undefined) {
      log.warn({}, 'ignored a message that no node of this group has sent');
      return;
    }
    const message = JSON.parse(text) as Message;
    if (message.kind === 'question') {
      if (this.#once.accept(row.sender, message.number)) void this.#respond(row, message);
    } else if (message.kind === 'answer')
      this.#pending.get(`${message.to} ${row.sender}`)?.({ value: message.value });
    else if (message.kind === 'no answer')
      this.#pending.get(`${message.to} ${row.sender}`)?.({ reason: message.reason });
  }

  async #respond(
    { id, sender }: MessageRow,
    { question, input }: Extract<Message, { kind: 'question' }>,
  ): Promise<void> {
    if (this.#answering >= maxAnswering) return;
    this.#answering++;
    const until = performance.now() + maxAnswerMs;
    try {
      const answer = await ownAnswer(this.#answerers, this.#ownNode(), [question, input]);
      if (performance.now() > until) return;
      if (answer.missing === undefined)
        await this.#send(randomUUID(), sender, { kind: 'answer', to: id, value: answer.value ?? null });
      else await this.#send(randomUUID(), sender, { kind: 'no answer', to: id, reason: answer.missing });
    } catch (error) {
      this.#options.log.debug({ question, error }, "a question of another node wasn't answered");
      if (error instanceof RangeError)
        await this.#send(randomUUID(), sender, { kind: 'no answer', to: id, reason: 'failed' }).catch(
          () => undefined,
        );
    } finally {
      this.#answering--;
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#receiving;
  }
}
