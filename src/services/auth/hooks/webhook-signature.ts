/**
 * Creates signatures according to Standard Webhooks. Each secret has the form `v1,whsec_BASE64`, and several secrets
 * are separated by `|`.
 */
import { createHmac } from 'node:crypto';

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * Returns one signature per secret. The signatures are separated by a comma and a space.
 * @throws {Error} if a secret has a different format
 */
export function webhookSignature(secrets: string, message: SignedMessage): string {
  const content = `${message.id}.${message.timestampSeconds}.${message.body}`;
  return secrets
    .split('|')
    .filter((secret) => secret !== '')
    .map((secret) => {
      if (!secret.startsWith('v1,')) throw new Error('a hook secret must begin with v1,whsec_');
      const key = Buffer.from(secret.slice('v1,'.length).replace(/^whsec_/, ''), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(', ');
}
