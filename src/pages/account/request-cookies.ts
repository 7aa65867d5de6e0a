/** Reads and writes the Account cookies, whose names depend on whether the request was sent over TLS. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieKind, readCookie, stepCookie, type Transport, writeCookie } from './core/cookies.ts';
import { readStep, type Step, writeStep } from './core/step.ts';

type Carrier = Pick<FastifyRequest, 'headers' | 'protocol'>;

const transportOf = ({ protocol }: Pick<Carrier, 'protocol'>): Transport => ({
  secure: protocol === 'https',
});

export function cookieOf(request: Carrier, kind: CookieKind): string | undefined {
  return readCookie(request.headers.cookie, kind, transportOf(request));
}

/** Sets the cookie. If the value is undefined, deletes the cookie. */
export function keepCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: CookieKind,
  value: string | undefined,
): void {
  reply.header('set-cookie', writeCookie(kind, value, transportOf(request)));
}

/**
 * Sets the cookie that passes a visitor's progress to the next page. If `step` is undefined, deletes the cookie.
 */
export function keepStep(request: FastifyRequest, reply: FastifyReply, step: Step | undefined): void {
  const value = step === undefined ? undefined : writeStep(step);
  if (value === undefined && cookieOf(request, stepCookie) === undefined) return;
  keepCookie(request, reply, stepCookie, value);
}

export const stepOf = (request: FastifyRequest): Step | undefined => readStep(cookieOf(request, stepCookie));
