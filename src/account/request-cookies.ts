/** Our cookies on requests and responses; which name they have depends on how the request came. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieKind, readCookie, type Transport, writeCookie } from './core/cookies.ts';

const transportOf = ({ protocol }: FastifyRequest): Transport => ({ secure: protocol === 'https' });

export function cookieOf(request: FastifyRequest, kind: CookieKind): string | undefined {
  return readCookie(request.headers.cookie, kind, transportOf(request));
}

/** Undefined deletes it. */
export function keepCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: CookieKind,
  value: string | undefined,
): void {
  reply.header('set-cookie', writeCookie(kind, value, transportOf(request)));
}
