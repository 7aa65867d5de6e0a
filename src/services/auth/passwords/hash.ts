/**
 * Parses stored password hashes in the formats that GoTrue 2.196 supports. Plinth generates bcrypt hashes. Imported
 * hashes (from `password_hash` in the admin API or from a dump) can also be argon2i or argon2id hashes in the PHC
 * format, or hashes of Firebase's scrypt variant.
 */
export type PasswordHash =
  | { readonly kind: 'bcrypt'; readonly text: string }
  | { readonly kind: 'argon2'; readonly text: string }
  | FirebaseHash;

/**
 * A hash of Firebase's scrypt variant (https://github.com/firebase/scrypt). This variant uses scrypt to derive a key,
 * with which it encrypts the signer key (AES-256 in counter mode).
 */
export interface FirebaseHash {
  readonly kind: 'firebase';
  /** The cost parameters of scrypt (RFC 7914). */
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly saltSeparator: Buffer;
  readonly signerKey: Buffer;
  readonly expected: Buffer;
}

/** Limits on the cost of verifying a password, so that imported hashes can't overload the server. */
const maxArgon2MemoryKib = 1_048_576;
const maxArgon2Passes = 20;
const maxLanes = 16;
const maxScryptBytes = 1_073_741_824;

/**
 * Parses a stored hash. Returns undefined if the format of the hash is unknown, or if verifying a password against the
 * hash would be too expensive.
 */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  if (text.startsWith('$argon2')) return parseArgon2(text);
  if (text.startsWith('$fbscrypt')) return parseFirebase(text);
  // A bcrypt hash consists of a prefix such as `$2a$10$`, followed by 53 characters.
  return /^\$2[abxy]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(text)
    ? { kind: 'bcrypt', text }
    : undefined;
}

function parseArgon2(text: string): PasswordHash | undefined {
  const parts =
    /^\$argon2id?\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
      text,
    );
  if (!parts) return undefined;
  const [memoryKib = 0, passes = 0, lanes = 0] = parts.slice(1, 4).map(Number);
  const isPayable = memoryKib <= maxArgon2MemoryKib && passes <= maxArgon2Passes && lanes <= maxLanes;
  // Argon2 requires at least 8 KiB per lane (RFC 9106).
  const isSound = passes >= 1 && lanes >= 1 && memoryKib >= 8 * lanes;
  return isPayable && isSound ? { kind: 'argon2', text } : undefined;
}

function parseFirebase(text: string): FirebaseHash | undefined {
  const parts =
    /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,9}),p=(\d{1,2})(?:,ss=([^,$]+))?(?:,sk=([^$]+))?\$([^$]+)\$(.+)$/.exec(
      text,
    );
  if (!parts) return undefined;
  const [power = 0, r = 0, p = 0] = parts.slice(1, 4).map(Number);
  const [saltSeparator, signerKey, salt, expected] = parts.slice(4).map((part = '') => decodeBase64(part));
  if (!saltSeparator || !signerKey || !salt || !expected) return undefined;
  const n = 2 ** power;
  const isSound = power >= 1 && r >= 1 && p >= 1 && p <= maxLanes && 128 * n * r <= maxScryptBytes;
  return isSound ? { kind: 'firebase', n, r, p, salt, saltSeparator, signerKey, expected } : undefined;
}

/** Decodes base64 (RFC 4648) with padding. Returns undefined for any other text. */
function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
