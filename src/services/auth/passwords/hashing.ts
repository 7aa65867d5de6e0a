/**
 * Hashes and verifies passwords. Like GoTrue and pgcrypto, uses bcrypt with cost 10 for new hashes, with the prefix
 * `$2a$` (equivalent to `$2b$` for passwords of up to 72 bytes). All formats in `passwords/hash.ts` can be
 * verified. Hashes are computed on Node's thread pool. A queue keeps threads free for file and DNS operations if many
 * users sign in concurrently.
 */
import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type * as Argon2 from '@node-rs/argon2';
import type * as Bcrypt from '@node-rs/bcrypt';
import type { QueueLoad } from '../../../base/kernel/service.ts';
import { thisMachine } from '../../../base/shared/machine.ts';
import { importPackage } from '../../../platform/packages/index.ts';
import { currentClient, currentDeadline } from '../common/deadline.ts';
import { createWorkQueue } from '../common/work-queue.ts';
import { type FirebaseHash, parsePasswordHash } from './hash.ts';

const defaultCost = 10;

const loadBcrypt = () => importPackage<typeof Bcrypt>('server', '@node-rs/bcrypt');

/**
 * The maximum number of threads that compute hashes, which leaves one of the four threads in Node's thread pool for
 * other work.
 */
const maxThreads = 3;
/** The maximum length of the queue, which limits the memory used by queued hashes. */
const maxWaitingHashes = 1000;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether the password matches the hash. Returns false if the hash is empty or has an unknown format. */
  verify(password: string, hash: string): Promise<boolean>;
  /** Takes as long as `verify`, so that the response time doesn't reveal whether an account exists. */
  pretendToVerify(password: string): Promise<void>;
  /** Returns the load of the hash queue. */
  load(): QueueLoad;
}

/**
 * Creates the password functions. The functions throw a `QueueFullError` if the estimated wait for a hash exceeds
 * `maxWaitMs()`. New hashes use 2^`cost` bcrypt rounds. A hash contains the cost with which it was computed, so
 * `verify` supports every cost.
 */
export function createPasswords(cost = defaultCost, maxWaitMs = () => Number.POSITIVE_INFINITY): Passwords {
  const queue = createWorkQueue(
    { concurrency: Math.min(maxThreads, thisMachine().cores), waiting: maxWaitingHashes, maxWaitMs },
    () => performance.now(),
  );
  let decoy: Promise<string> | undefined;

  const queued = <T>(work: () => Promise<T>): Promise<T> =>
    queue.run(work, currentDeadline(), currentClient());

  async function hash(password: string): Promise<string> {
    const bcrypt = await loadBcrypt();
    const text = await queued(() => bcrypt.hash(password, cost));
    return text.replace(/^\$2[bxy]\$/, '$2a$');
  }

  async function verify(password: string, stored: string): Promise<boolean> {
    const parsed = parsePasswordHash(stored);
    switch (parsed?.kind) {
      case 'bcrypt': {
        const bcrypt = await loadBcrypt();
        return queued(() => bcrypt.verify(password, parsed.text));
      }
      case 'argon2': {
        const argon2 = await importPackage<typeof Argon2>('server', '@node-rs/argon2');
        return queued(() => argon2.verify(parsed.text, password));
      }
      case 'firebase':
        return queued(() => verifyFirebase(password, parsed));
      default:
        return false;
    }
  }

  async function pretendToVerify(password: string): Promise<void> {
    decoy ??= hash('not the password of any user');
    // If the queue is full, hashing the decoy password fails and the next call tries again.
    decoy.catch(() => {
      decoy = undefined;
    });
    await verify(password, await decoy);
  }

  return { hash, verify, pretendToVerify, load: () => queue.load() };
}

const scryptKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

async function verifyFirebase(password: string, stored: FirebaseHash): Promise<boolean> {
  const { n: N, r, p, salt, saltSeparator, signerKey, expected } = stored;
  const maxmem = 128 * r * (N + p + 2);
  const key = await scryptKey(password, Buffer.concat([salt, saltSeparator]), 32, { N, r, p, maxmem });
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const made = Buffer.concat([cipher.update(signerKey), cipher.final()]);
  return made.length === expected.length && timingSafeEqual(made, expected);
}
