/** Connects to the NATS servers. The NATS client is loaded only if needed. */
import type { NatsConnection } from '@nats-io/transport-node';

const reconnectMs = 500;

/** Connects to one of the comma-separated `nats://`, `tls://` or `ws://` addresses. The connection reconnects forever. */
export async function connectNats(url: string): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node');
  return connect({
    ...addressOf(url),
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectMs,
    name: 'plinth',
  });
}

/**
 * Separates the credentials from the addresses, as the NATS client requires. The credentials of the first address are
 * used.
 */
function addressOf(text: string): { servers: string[]; user?: string; pass?: string; token?: string } {
  const urls = text.split(',').map((server) => new URL(server.trim()));
  const [{ username, password }] = urls as [URL, ...URL[]];
  const servers = urls.map((url) => {
    url.username = '';
    url.password = '';
    return url.href;
  });
  if (username === '') return { servers };
  const name = decodeURIComponent(username);
  return password === ''
    ? { servers, token: name }
    : { servers, user: name, pass: decodeURIComponent(password) };
}
