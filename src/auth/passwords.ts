/**
 * Password hashes: bcrypt with cost 10, computed on the thread pool. Written with the prefix `$2a$` as GoTrue and
 * pgcrypto write it (for up to 72 bytes it means the same as `$2b$`).
 */
import type * as Bcrypt from '@node-rs/bcrypt';

const cost = 10;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** False for an empty or unknown hash. */
  verify(password: string, hash: string): Promise<boolean>;
  /** Takes as long as a verification, so that an unknown account cannot be told by time. */
  pretendToVerify(password: string): Promise<void>;
}

export function createPasswords(): Passwords {
  let bcrypt: Promise<typeof Bcrypt> | undefined;
  let decoy: Promise<string> | undefined;
  const load = () => {
    bcrypt ??= import('@node-rs/bcrypt');
    return bcrypt;
  };

  async function hash(password: string): Promise<string> {
    const { hash } = await load();
    return (await hash(password, cost)).replace(/^\$2[bxy]\$/, '$2a$');
  }

  async function verify(password: string, stored: string): Promise<boolean> {
    if (!isBcryptHash(stored)) return false;
    const { verify } = await load();
    return verify(password, stored);
  }

  async function pretendToVerify(password: string): Promise<void> {
    decoy ??= hash('nobody has this password');
    await verify(password, await decoy);
  }

  return { hash, verify, pretendToVerify };
}

/** `$2a$10$` and 53 characters. */
export function isBcryptHash(text: string): boolean {
  return /^\$2[abxy]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(text);
}
