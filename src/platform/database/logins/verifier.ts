/** Builds the verifier that PostgreSQL stores for a password (RFC 5803), so the password itself is never logged. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

/** The number of iterations for passwords that users choose, which is PostgreSQL's default. */
export const chosenIterations = 4096;

export function scramVerifier(password: string, salt: Buffer, iterations = chosenIterations): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest('base64');
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
