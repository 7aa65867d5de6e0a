/**
 * Encrypts the messages between nodes with AES-256-GCM (docs/decisions/0107-group-view.md). Each sender has a separate
 * key, and the sender, the recipient and the message's ID are authenticated.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The unencrypted part of a message. */
export interface Envelope {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
}

export interface MessageSeal {
  close(envelope: Envelope, content: string): Buffer;
  /** Returns undefined if no node of the group has sent this message in this envelope. */
  open(envelope: Envelope, sealed: Buffer): string | undefined;
}

export function createMessageSeal(secret: string, salt: Buffer): MessageSeal {
  const keyOf = (sender: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, `plinth group message ${sender}`, keyBytes));
  const about = ({ id, sender, recipient }: Envelope): Buffer => Buffer.from(`${sender} ${recipient} ${id}`);
  return {
    close(envelope, content) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, keyOf(envelope.sender), nonce).setAAD(about(envelope));
      return Buffer.concat([nonce, cipher.update(content, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(envelope, sealed) {
      if (sealed.length < nonceBytes + tagBytes) return undefined;
      const nonce = sealed.subarray(0, nonceBytes);
      const decipher = createDecipheriv(algorithm, keyOf(envelope.sender), nonce, {
        authTagLength: tagBytes,
      });
      decipher.setAAD(about(envelope)).setAuthTag(sealed.subarray(-tagBytes));
      try {
        const content = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([content, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

const windowSize = 1000;

/** Accepts each number of each sender only once, although messages can arrive in another order than they were sent. */
export class OnceOnly {
  readonly #senders = new Map<string, { highest: number; readonly seen: Set<number> }>();

  accept(sender: string, number: number): boolean {
    const known = this.#senders.get(sender) ?? { highest: 0, seen: new Set<number>() };
    if (number <= known.highest - windowSize || known.seen.has(number)) return false;
    this.#senders.set(sender, known);
    known.highest = Math.max(known.highest, number);
    known.seen.add(number);
    if (known.seen.size > 2 * windowSize)
      for (const old of known.seen) if (old <= known.highest - windowSize) known.seen.delete(old);
    return true;
  }
}
