/**
 * Operators' sign-in: a one-time link becomes a session behind an httpOnly cookie; each changing request proves with the
 * session's CSRF token that it came from one of our pages.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import { isSameOrigin, sameOriginHeader } from '../kernel/same-origin.ts';
import { createAttempts } from './core/attempts.ts';
import { may, type OperatorRole, type Permission, permissionsOf } from './core/roles.ts';
import { ConsoleError } from './errors.ts';
import * as queries from './queries.ts';

const linkLifetimeSeconds = 600;
const sessionLifetimeSeconds = 12 * 3600;
const attemptLimits = { most: 10, windowMs: 60_000, addresses: 1000 };
/** The operator that the start command's link signs in where there is no owner yet. */
const firstOperator = { name: 'owner', role: 'owner' } as const;

/**
 * `none`: the operator has no second factor. `owed`: they have, and this session has not proven it. `missing`: they have
 * none and everybody has to.
 */
export type FactorState = 'none' | 'proven' | 'owed' | 'missing';

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly csrfToken: string;
  readonly sessionId: string;
  readonly factor: FactorState;
}

export interface Sessions {
  /** The secret part of a fresh one-time link; for the first owner unless named. Rejects for a name that nobody has. */
  issueLinkToken(operatorName?: string): Promise<string>;
  /** As {@link issueLinkToken}, for an invitation. */
  linkTokenFor(operatorId: string, lifetimeSeconds: number): Promise<string>;
  /** Before anything of the body is read. @throws {ConsoleError} csrf, too_many */
  checkSignIn(request: FastifyRequest): void;
  /** Spends the link and sets the cookie. @throws {ConsoleError} link_invalid */
  signIn(token: string, request: FastifyRequest, reply: FastifyReply): Promise<Operator>;
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** `beforeFactor`: also while the second factor is owed. @throws {ConsoleError} signed_out, csrf, factor_needed, forbidden */
  authorize(request: FastifyRequest, permission: Permission, beforeFactor?: boolean): Promise<Operator>;
  /** What a page needs to know of its operator: who, what they may do, and the proof for changing requests. */
  described(operator: Operator): object;
}

export interface SessionsDeps {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly apiUrl: () => string;
  /** Everybody has to have a second factor. */
  readonly factorRequired: boolean;
}

export function createSessions({ db, clock, apiUrl, factorRequired }: SessionsDeps): Sessions {
  const attempts = createAttempts(attemptLimits);
  // Browsers share cookies between the ports of a host, and two projects may run side by side.
  const cookieName = (): string => `plinth-console-${new URL(apiUrl()).port || 'default'}`;

  function cookieHeader(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
    const secure = request.protocol === 'https' || apiUrl().startsWith('https:') ? '; Secure' : '';
    return `${cookieName()}=${value}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
  }

  function readCookie(request: FastifyRequest): string | undefined {
    const wanted = cookieName();
    for (const pair of (request.headers.cookie ?? '').split(';')) {
      const [name, value] = pair.trim().split('=', 2);
      if (name === wanted && value) return value;
    }
    return undefined;
  }

  async function linkTokenFor(operatorId: string, lifetimeSeconds: number): Promise<string> {
    const token = randomBytes(24).toString('base64url');
    await queries.insertLink(db, hash(token), operatorId, lifetimeSeconds);
    return token;
  }

  const factorOf = (hasFactor: boolean, proven: boolean): FactorState => {
    if (!hasFactor) return factorRequired ? 'missing' : 'none';
    return proven ? 'proven' : 'owed';
  };

  return {
    async issueLinkToken(operatorName) {
      const operator =
        operatorName === undefined
          ? ((await queries.findFirstOwner(db)) ??
            (await queries.ensureOperator(db, firstOperator.name, firstOperator.role)))
          : await queries.findOperator(db, operatorName);
      if (operator === undefined) throw new Error(`There is no operator named ${operatorName}.`);
      return linkTokenFor(operator.id, linkLifetimeSeconds);
    },
    linkTokenFor,
    checkSignIn(request) {
      // Else a foreign page could sign its visitor in as somebody else and watch what they do.
      if (!isSameOrigin(marksOf(request))) throw new ConsoleError('csrf');
      const waitSeconds = attempts.waitSeconds(request.ip, clock.now());
      if (waitSeconds > 0) throw new ConsoleError('too_many', { waitSeconds });
    },
    async signIn(token, request, reply) {
      const operator = await queries.takeLink(db, hash(token));
      if (operator === undefined) {
        attempts.failed(request.ip, clock.now());
        throw new ConsoleError('link_invalid');
      }
      const cookie = randomBytes(32).toString('base64url');
      const csrfToken = randomBytes(24).toString('base64url');
      const userAgent = request.headers['user-agent']?.slice(0, 400) ?? null;
      const sessionId = await queries.insertSession(db, {
        cookieHash: hash(cookie),
        operatorId: operator.id,
        csrfToken,
        userAgent,
        ip: request.ip,
        lifetimeSeconds: sessionLifetimeSeconds,
      });
      // Who signs in again leaves no session behind that nobody can end.
      const former = readCookie(request);
      if (former !== undefined) await queries.deleteSession(db, hash(former));
      reply.header('set-cookie', cookieHeader(request, cookie, sessionLifetimeSeconds));
      const { id, name, role, has_factor } = operator;
      return { id, name, role, csrfToken, sessionId, factor: factorOf(has_factor, false) };
    },
    async signOut(request, reply) {
      const cookie = readCookie(request);
      if (cookie !== undefined) await queries.deleteSession(db, hash(cookie));
      reply.header('set-cookie', cookieHeader(request, '', 0));
    },
    async authorize(request, permission, beforeFactor = false) {
      const cookie = readCookie(request);
      const row = cookie === undefined ? undefined : await queries.findSession(db, hash(cookie));
      if (row === undefined) throw new ConsoleError('signed_out');
      if (request.method !== 'GET' && !isSame(request.headers['x-plinth-csrf'], row.csrf_token))
        throw new ConsoleError('csrf');
      const factor = factorOf(row.has_factor, row.factor_proven);
      if (!beforeFactor && (factor === 'owed' || factor === 'missing'))
        throw new ConsoleError('factor_needed');
      if (!may(row.role, permission)) throw new ConsoleError('forbidden');
      const { id, name, role, csrf_token, session_id } = row;
      return { id, name, role, csrfToken: csrf_token, sessionId: session_id, factor };
    },
    described: ({ name, role, csrfToken, factor }) => ({
      operator: { name, role, permissions: permissionsOf(role) },
      factor,
      csrfToken,
    }),
  };
}

function marksOf({ headers }: FastifyRequest): Parameters<typeof isSameOrigin>[0] {
  const one = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    ownHeader: one(sameOriginHeader),
    fetchSite: one('sec-fetch-site'),
    origin: one('origin'),
    host: headers.host ?? '',
  };
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

function isSame(given: unknown, expected: string): boolean {
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(expected));
}
