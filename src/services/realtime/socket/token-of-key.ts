/** Converts the project's API keys to tokens. */
import { timingSafeEqual } from 'node:crypto';
import type { Keys } from '../../../platform/keys/types.ts';

/** Returns the JWT for the role that an `sb_` key has. */
export function tokenOfKey(keys: Keys, key: string): string {
  if (equals(key, keys.publishableKey)) return keys.anonKey;
  if (equals(key, keys.secretKey)) return keys.serviceRoleKey;
  const kind = keys.kindOfApiKey(key);
  if (kind !== undefined) return kind === 'secret' ? keys.serviceRoleKey : keys.anonKey;
  return key;
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
