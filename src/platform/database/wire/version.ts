import type { Client } from './client.ts';

/** Returns the server's version as a number. For example, the number for version `18.4` is 180004. */
export function readVersion(client: Client): number {
  const [major = '0', minor = '0'] = (client.connection.parameters.get('server_version') ?? '').split(
    /[.\s]/,
  );
  return Number(major) * 10_000 + (Number.parseInt(minor, 10) || 0);
}
