/** Reads and sets the cookie that passes a visitor's progress to the next page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { stepCookie } from './core/cookies.ts';
import { readStep, type Step, writeStep } from './core/step.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';

/** Sets the cookie. If `step` is undefined, deletes the cookie. */
export function keepStep(request: FastifyRequest, reply: FastifyReply, step: Step | undefined): void {
  const value = step === undefined ? undefined : writeStep(step);
  if (value === undefined && cookieOf(request, stepCookie) === undefined) return;
  keepCookie(request, reply, stepCookie, value);
}

export const stepOf = (request: FastifyRequest): Step | undefined => readStep(cookieOf(request, stepCookie));
