/**
 * Handles the first step of a sign-in. Parses the address, stores the address for the following pages, and selects the
 * next step.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthClient } from './auth-client.ts';
import { addressCookie, memoryCookie, readAddress, readMemory, writeAddress } from './core/browser-memory.ts';
import { domainIn, type Identifier, type NextStep, nextStepFor, parseIdentifier } from './core/next-step.ts';
import type { Offers } from './core/offers.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';

export interface Identified {
  readonly identifier: Identifier;
  readonly next: NextStep;
}

/**
 * Returns the parsed address and the next step. Returns undefined if the project doesn't accept the text as an address.
 */
export type Identify = (
  request: FastifyRequest,
  reply: FastifyReply,
  typed: string,
) => Promise<Identified | undefined>;

export type IdentifyOffers = Pick<Offers, 'password' | 'phone' | 'signUp' | 'sso'>;

const noSso = { isOffered: false, isEnforced: false };

export function createIdentify(deps: {
  readonly auth: AuthClient;
  readonly offers: () => IdentifyOffers;
  /** Whether organizations can have single sign-on, even if the page doesn't offer it in general. */
  readonly hasOrganizations: () => boolean;
}): Identify {
  return async (request, reply, typed) => {
    const offers = deps.offers();
    const identifier = parseIdentifier(typed, offers);
    if (identifier === undefined) return undefined;
    const isEmail = 'email' in identifier;
    keepAddress(request, reply, isEmail ? identifier.email : `+${identifier.phone}`);
    const visitor = deps.auth.visitor(request);
    const sso =
      isEmail && (offers.sso || deps.hasOrganizations())
        ? await visitor.ssoPolicy(domainIn(identifier))
        : noSso;
    const isNew = isEmail && offers.signUp && (await visitor.isNewAddress(identifier.email));
    const memory = readMemory(cookieOf(request, memoryCookie));
    return { identifier, next: nextStepFor(identifier, { offers, sso, memory, isNew }) };
  };
}

/**
 * Stores the address in a cookie for the next pages. The URLs of the pages don't contain the address, so it doesn't
 * appear in logs.
 */
export function keepAddress(request: FastifyRequest, reply: FastifyReply, address: string): void {
  keepCookie(request, reply, addressCookie, writeAddress(address));
}

/** Returns the address with which the user is signing in. */
export const addressOf = (request: FastifyRequest): string | undefined =>
  readAddress(cookieOf(request, addressCookie));
