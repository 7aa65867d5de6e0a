/** Implements the client side of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding. */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const deriveKey = promisify(pbkdf2);

/**
 * The maximum number of iterations. Without this limit, a server could keep this process computing for minutes.
 * PostgreSQL's default is 4096.
 */
const MAX_ITERATIONS = 1_000_000;

export interface ScramFinal {
  readonly message: string;
  /** Throws an error if the server can't prove that it has the password's verifier. */
  verify(serverFinal: string): void;
}

export interface ScramExchange {
  readonly mechanism: 'SCRAM-SHA-256';
  readonly firstMessage: string;
  respond(serverFirst: string): Promise<ScramFinal>;
}

export function beginScram(password: string, nonce = randomBytes(18).toString('base64')): ScramExchange {
  // The username in this message is empty, because PostgreSQL uses the username in the startup message.
  const firstBare = `n=,r=${nonce}`;
  return {
    mechanism: 'SCRAM-SHA-256',
    firstMessage: `n,,${firstBare}`,
    async respond(serverFirst) {
      const fields = readAttributes(serverFirst);
      const serverNonce = fields.get('r') ?? '';
      const salt = Buffer.from(fields.get('s') ?? '', 'base64');
      const iterations = Number(fields.get('i'));
      if (!serverNonce.startsWith(nonce) || serverNonce.length === nonce.length) {
        throw new Error(
          "The server's SCRAM response contains a nonce that doesn't begin with the client's nonce.",
        );
      }
      if (
        salt.length === 0 ||
        !Number.isInteger(iterations) ||
        iterations < 1 ||
        iterations > MAX_ITERATIONS
      ) {
        throw new Error("The server's SCRAM response doesn't contain a valid salt and iteration count.");
      }
      const saltedPassword = await deriveKey(prepare(password), salt, iterations, 32, 'sha256');
      const finalBare = `c=biws,r=${serverNonce}`;
      const authMessage = `${firstBare},${serverFirst},${finalBare}`;
      const clientKey = hmac(saltedPassword, 'Client Key');
      const storedKey = createHash('sha256').update(clientKey).digest();
      const signature = hmac(storedKey, authMessage);
      const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] as number)));
      const expected = hmac(hmac(saltedPassword, 'Server Key'), authMessage);
      return {
        message: `${finalBare},p=${proof.toString('base64')}`,
        verify(serverFinal) {
          const given = Buffer.from(readAttributes(serverFinal).get('v') ?? '', 'base64');
          if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
            throw new Error("The server couldn't prove that it has the password.");
          }
        },
      };
    },
  };
}

/**
 * Applies SASLprep's mapping step to a password (RFC 4013). As in PostgreSQL, a password that contains characters that
 * SASLprep prohibits is used unchanged.
 */
function prepare(password: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches all ASCII characters
  if (/^[\x00-\x7f]*$/.test(password)) return password;
  return password
    .replace(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g, ' ')
    .replace(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g, '')
    .normalize('NFKC');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function readAttributes(message: string): Map<string, string> {
  return new Map(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}
