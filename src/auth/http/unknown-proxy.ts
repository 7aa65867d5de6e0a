/** Tells, once, that clients come through a proxy whose word about their addresses is not taken. */
import type { FastifyRequest } from 'fastify';
import type { AuthContext } from '../context.ts';
import { header } from './exchange.ts';

/**
 * Of no use for an attacker: it changes what is logged, not what is believed.
 *
 * @returns what to call with every request
 */
export function createProxyHint(ctx: AuthContext): (request: FastifyRequest) => void {
  let isTold = !ctx.settings.limitsByAddress;
  return (request) => {
    if (isTold) return;
    const forwarded = header(request, 'x-forwarded-for');
    // The Account pages call from inside, with the address of their caller.
    const isIgnored =
      forwarded !== undefined && request.ip === request.socket.remoteAddress && forwarded !== request.ip;
    if (!isIgnored) return;
    isTold = true;
    ctx.log.warn(
      { service: 'auth', proxy: request.ip },
      'requests come through a proxy that [server] trusted_proxies of plinth.toml does not name: its clients share one limit',
    );
  };
}
