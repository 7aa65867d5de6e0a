/**
 * A bus over a transport with batches, sequence numbers and leases. A process that isn't heard from within its lease
 * counts as gone, together with its members' presence. A process that missed messages requests the presence state
 * again.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from '../../kernel/log.ts';
import { type BusMessage, decodeMessages, encodeMessage } from '../core/bus-message.ts';
import { createOpener, createSealer } from '../core/bus-seal.ts';
import type { Bus, BusListener, Transport } from './types.ts';

export interface GroupOptions {
  readonly transport: Transport;
  /** A secret shared by all processes of the group. */
  readonly secret: string;
  readonly log: Logger;
  /** The interval at which each process sends a message. */
  readonly aliveMs?: number;
  readonly leaseMs?: number;
}

const defaultAliveMs = 2_000;
const defaultLeaseMs = 10_000;
/** The maximum size of queued messages while the transport is interrupted. Broadcasts beyond it are dropped. */
const maxWaitingBytes = 16 * 1024 * 1024;
/** A batch is complete when it reaches this size. */
const maxBatchBytes = 512 * 1024;
const firstRetryMs = 100;
const lastRetryMs = 5_000;
const startPatienceMs = 2_000;
const farewellMs = 1_000;

interface Peer {
  heardAt: number;
  /** Whether its presence state has been requested. */
  asked: boolean;
}

export function createGroupBus(options: GroupOptions): Bus {
  const { transport, secret, log, aliveMs = defaultAliveMs, leaseMs = defaultLeaseMs } = options;
  const self = randomBytes(16);
  const id = self.toString('hex');
  const sealer = createSealer(secret, self, transport.maxChunkBytes);
  const opener = createOpener(secret, self);
  const peers = new Map<string, Peer>();
  let listener: BusListener | undefined;
  let unlisten: (() => Promise<void>) | undefined;
  let queue: Buffer[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  /** Whether the next batch must contain the complete presence state. */
  let stateDue = false;
  let sending: Promise<void> | undefined;
  let hearing = false;
  let sendTrouble: string | undefined;
  let greetedAt = 0;
  let beatenAt = 0;
  let heart: NodeJS.Timeout | undefined;
  let stopping = false;
  let stopped = false;

  const enqueue = (message: BusMessage): void => {
    if (stopped) return;
    const bytes = encodeMessage(message);
    waitingBytes += bytes.length;
    queue.push(bytes);
    if (waitingBytes > maxWaitingBytes) overflow();
    sending ??= flush().finally(() => {
      sending = undefined;
    });
  };

  /** Drops the queued messages. The complete presence state is sent once other processes are reachable again. */
  const overflow = (): void => {
    dropped += queue.length;
    queue = [];
    waitingBytes = 0;
    stateDue = true;
    log.warn({ dropped }, 'other processes cannot be reached: broadcasts to their clients are dropped');
  };

  const flush = async (): Promise<void> => {
    // Batches all messages from the same event loop turn.
    await new Promise(setImmediate);
    while ((queue.length > 0 || stateDue) && !stopped) {
      if (stateDue) {
        stateDue = false;
        const rooms = listener?.ownPresence() ?? [];
        const bytes = encodeMessage({ kind: 'presence-state', rooms });
        // The state includes all changes so far. Older queued changes are harmless after it.
        queue.unshift(bytes);
        waitingBytes += bytes.length;
      }
      await deliver(sealer.seal(Buffer.concat(takeBatch())));
    }
  };

  const takeBatch = (): Buffer[] => {
    let bytes = 0;
    let count = 0;
    while (count < queue.length && (count === 0 || bytes < maxBatchBytes))
      bytes += (queue[count++] as Buffer).length;
    waitingBytes -= bytes;
    return queue.splice(0, count);
  };

  /** Retries until the transport accepts the chunks. They keep their numbers, so no receiver processes one twice. */
  const deliver = async (chunks: readonly Buffer[]): Promise<void> => {
    for (let delayMs = firstRetryMs; !stopped; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
      try {
        await transport.send(chunks);
        if (sendTrouble !== undefined) log.info({}, 'other processes can be reached again');
        sendTrouble = undefined;
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (sendTrouble === undefined)
          log.warn({ reason }, 'other processes cannot be reached for the moment');
        sendTrouble = `other processes cannot be reached over ${transport.name}: ${reason}`;
        if (stopping) return;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  };

  const onChunk = (chunk: Buffer): void => {
    const opened = opener.open(chunk);
    if (opened === undefined || stopped) return;
    const { origin, gap, batch } = opened;
    const known = peers.get(origin);
    const peer = known ?? { heardAt: 0, asked: false };
    peer.heardAt = performance.now();
    peers.set(origin, peer);
    if (known === undefined) {
      log.info({ process: origin, peers: peers.size }, 'another process was heard');
      tellState();
    }
    if (gap && !peer.asked) {
      peer.asked = true;
      log.warn({ process: origin }, 'something that another process told was missed');
      enqueue({ kind: 'again', to: origin });
    }
    if (batch === undefined) return;
    let messages: BusMessage[];
    try {
      messages = decodeMessages(batch);
    } catch (error) {
      log.warn({ process: origin, error }, 'what another process told is not understood');
      return;
    }
    for (const message of messages) receive(origin, peer, message);
  };

  const receive = (origin: string, peer: Peer, message: BusMessage): void => {
    switch (message.kind) {
      case 'broadcast':
      case 'presence':
        listener?.message(origin, message);
        return;
      case 'presence-state':
        peer.asked = false;
        listener?.presence(origin, message.rooms);
        return;
      case 'hello':
        tellState();
        return;
      case 'again':
        if (message.to === id) tellState();
        return;
      case 'bye':
        forget(origin);
        return;
      default:
        return; // Only shows that the sender is alive.
    }
  };

  const tellState = (): void => {
    stateDue = true;
    enqueue({ kind: 'alive' });
  };

  const forget = (origin: string): void => {
    if (!peers.delete(origin)) return;
    opener.forget(origin);
    listener?.presence(origin, []);
    log.info({ process: origin, peers: peers.size }, 'another process is gone');
  };

  const beat = (): void => {
    const now = performance.now();
    // If this process was stalled or receives nothing, silence doesn't mean that the others are gone.
    const late = now - beatenAt > aliveMs * 2;
    beatenAt = now;
    if (late || !hearing) for (const peer of peers.values()) peer.heardAt = now;
    for (const [origin, { heardAt }] of peers) if (now - heardAt > leaseMs) forget(origin);
    if (queue.length === 0) enqueue({ kind: 'alive' });
  };

  const greet = (): void => {
    hearing = true;
    greetedAt = performance.now();
    stateDue = true;
    enqueue({ kind: 'hello' });
  };

  const listen = async (): Promise<void> => {
    for (let delayMs = firstRetryMs; !stopped; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
      try {
        const end = await transport.listen({
          chunk: onChunk,
          lost() {
            hearing = false;
            log.warn({}, 'other processes are not heard for the moment');
          },
          restored: greet,
        });
        if (stopped) return await end();
        unlisten = end;
        greet();
        return;
      } catch (error) {
        log.warn({ error }, 'other processes cannot be heard yet');
        await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      }
    }
  };

  return {
    send(message) {
      // If no process was heard from within a lease, there is none. A process that starts later requests the presence
      // state.
      if (peers.size > 0 || performance.now() - greetedAt < leaseMs) enqueue(message);
    },
    get peers() {
      return peers.size;
    },
    get trouble() {
      if (listener !== undefined && !hearing) return `other processes are not heard over ${transport.name}`;
      return sendTrouble;
    },
    async start(given) {
      listener = given;
      const listening = listen();
      beatenAt = performance.now();
      heart = setInterval(beat, aliveMs).unref();
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        listening,
        new Promise((resolve) => {
          timer = setTimeout(resolve, startPatienceMs);
        }),
      ]);
      clearTimeout(timer);
    },
    async stop() {
      clearInterval(heart);
      stopping = true;
      if (peers.size > 0 || sending !== undefined) {
        enqueue({ kind: 'bye' });
        let timer: NodeJS.Timeout | undefined;
        await Promise.race([
          sending,
          new Promise((resolve) => {
            timer = setTimeout(resolve, farewellMs);
          }),
        ]);
        clearTimeout(timer);
      }
      stopped = true;
      await unlisten?.().catch((error: unknown) => log.debug({ error }, 'the bus did not close cleanly'));
    },
  };
}
