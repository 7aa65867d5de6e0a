/**
 * Operators' sign-in: a one-time link becomes a session behind an httpOnly cookie; each changing request proves with the
 * session's CSRF token that it came from one of our pages.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import { isToPublicUrl, type OwnAddress } from '../kernel/request-origin.ts';
import { sameOriginHeader } from '../kernel/same-origin.ts';
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
  readonly consoleUrl: () => string;
  /** The names that it answers to. */
  readonly ownAddress: OwnAddress;
  /** Everybody has to have a second factor. */
  readonly factorRequired: boolean;
}

/** Cookies of one name that a browser sends at most: whoever plants more is not worth a question each. */
const mostCookies = 4;

export function createSessions({
  db,
  clock,
  consoleUrl,
  ownAddress,
  factorRequired,
}: SessionsDeps): Sessions {
  const attempts = createAttempts(attemptLimits);

  /** `__Host-`: no other host of the domain can set it (RFC 6265bis section 4.1.3). Browsers take it over TLS only. */
  const isSecure = ({ headers }: FastifyRequest): boolean =>
    ownAddress.publicUrl?.protocol === 'https:' && isToPublicUrl(headers, ownAddress);
  // Browsers share cookies between the ports of a host, and two projects may run side by side.
  const cookieName = (request: FastifyRequest): string =>
    isSecure(request) ? '__Host-plinth-console' : `plinth-console-${new URL(consoleUrl()).port || 'default'}`;

  function cookieHeader(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
    // The path keeps it from what other ports of this host serve.
    const scope = isSecure(request) ? 'Path=/; Secure' : 'Path=/console';
    return `${cookieName(request)}=${value}; ${scope}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  }

  function readCookies(request: FastifyRequest): string[] {
    const prefix = `${cookieName(request)}=`;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
    return values.slice(0, mostCookies);
  }

  /**
   * Undefined without a session, and with two: another port of this host may have planted one beside the operator's own, so
   * that they work as somebody else.
   */
  async function sessionOf(request: FastifyRequest): Promise<queries.SessionRow | undefined> {
    const rows = await Promise.all(
      readCookies(request).map((cookie) => queries.findSession(db, hash(cookie))),
    );
    const [row, ...others] = rows.filter((each) => each !== undefined);
    return others.length === 0 ? row : undefined;
  }

  async function endSessions(request: FastifyRequest): Promise<void> {
    for (const cookie of readCookies(request)) await queries.deleteSession(db, hash(cookie));
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
      // The port's guard has judged what browsers say; this is what the form of a foreign page can't send.
      if (request.headers[sameOriginHeader] !== '1') throw new ConsoleError('csrf');
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
      await endSessions(request);
      reply.header('set-cookie', cookieHeader(request, cookie, sessionLifetimeSeconds));
      const { id, name, role, has_factor } = operator;
      return { id, name, role, csrfToken, sessionId, factor: factorOf(has_factor, false) };
    },
    async signOut(request, reply) {
      await endSessions(request);
      reply.header('set-cookie', cookieHeader(request, '', 0));
    },
    async authorize(request, permission, beforeFactor = false) {
      const row = await sessionOf(request);
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

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

function isSame(given: unknown, expected: string): boolean {
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(expected));
}
