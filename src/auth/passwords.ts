/**
 * Password hashes. New ones use bcrypt with cost 10 and the prefix `$2a$`, as GoTrue and pgcrypto write it (equivalent
 * to `$2b$` for up to 72 bytes). Verifies every format of `core/password-hash.ts`. Hashing runs on Node's thread pool
 * behind a queue, so that bursts of sign-ins leave threads for file and DNS operations.
 */
import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { type FirebaseHash, parsePasswordHash } from './core/password-hash.ts';
import { createWorkQueue, QueueFullError } from './core/work-queue.ts';
import { currentDeadline } from './deadline.ts';
import { authError } from './errors.ts';

const cost = 10;

/** The pool in Node has four threads. */
const maxThreads = 3;
/** More hashes than can complete within the time limit of a request. */
const maxWaitingHashes = 1000;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Returns false for an empty or unknown hash. */
  verify(password: string, hash: string): Promise<boolean>;
  /** Takes as long as a verification, so that timing doesn't reveal whether an account exists. */
  pretendToVerify(password: string): Promise<void>;
}

/** All methods throw `over_request_rate_limit` if the queue is full. */
export function createPasswords(): Passwords {
  const queue = createWorkQueue({
    concurrency: Math.min(maxThreads, availableParallelism()),
    waiting: maxWaitingHashes,
  });
  let decoy: Promise<string> | undefined;

  const queued = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await queue.run(work, currentDeadline());
    } catch (error) {
      if (error instanceof QueueFullError)
        throw authError('over_request_rate_limit', undefined, { cause: error });
      throw error;
    }
  };

  async function hash(password: string): Promise<string> {
    const bcrypt = await import('@node-rs/bcrypt');
    const text = await queued(() => bcrypt.hash(password, cost));
    return text.replace(/^\$2[bxy]\$/, '$2a$');
  }

  async function verify(password: string, stored: string): Promise<boolean> {
    const parsed = parsePasswordHash(stored);
    switch (parsed?.kind) {
      case 'bcrypt': {
        const bcrypt = await import('@node-rs/bcrypt');
        return queued(() => bcrypt.verify(password, parsed.text));
      }
      case 'argon2': {
        const argon2 = await import('@node-rs/argon2');
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
    // After a failure caused by a full queue, the next call computes the decoy again.
    decoy.catch(() => {
      decoy = undefined;
    });
    await verify(password, await decoy);
  }

  return { hash, verify, pretendToVerify };
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
