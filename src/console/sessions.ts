/**
 * Operator sign-in. A one-time link becomes a session in an httpOnly cookie. Each request that isn't a GET must contain the
 * session's CSRF token, which proves that it comes from the Console's pages.
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
import type { FactorState, Session } from './operators/contract.ts';
import * as queries from './queries.ts';

const linkLifetimeSeconds = 600;
const sessionLifetimeSeconds = 12 * 3600;
const attemptLimits = { most: 10, windowMs: 60_000, addresses: 1000 };
/** The operator for the start command's link if there is no owner yet. */
const firstOperator = { name: 'owner', role: 'owner' } as const;

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly csrfToken: string;
  readonly sessionId: string;
  readonly factor: FactorState;
}

export interface Sessions {
  /** Returns the secret of a new one-time link. The default operator is the first owner. Rejects if the operator doesn't exist. */
  issueLinkToken(operatorName?: string): Promise<string>;
  /** Like {@link issueLinkToken}, for an invitation. */
  linkTokenFor(operatorId: string, lifetimeSeconds: number): Promise<string>;
  /** Runs before the body is read. @throws {ConsoleError} csrf, too_many */
  checkSignIn(request: FastifyRequest): void;
  /** Consumes the link and sets the cookie. @throws {ConsoleError} link_invalid */
  signIn(token: string, request: FastifyRequest, reply: FastifyReply): Promise<Operator>;
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * `beforeFactor`: also allows sessions whose second factor isn't verified yet. @throws {ConsoleError} signed_out,
   * csrf, factor_needed, forbidden
   */
  authorize(request: FastifyRequest, permission: Permission, beforeFactor?: boolean): Promise<Operator>;
  /** Returns what a page needs: the operator, the permissions and the CSRF token. */
  described(operator: Operator): Session;
}

export interface SessionsDeps {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly consoleUrl: () => string;
  /** The host names that the Console accepts. */
  readonly ownAddress: OwnAddress;
  /** Whether every operator must have a second factor. */
  readonly factorRequired: boolean;
}

/** The maximum number of cookies with our name that are looked up per request. */
const mostCookies = 4;

export function createSessions({
  db,
  clock,
  consoleUrl,
  ownAddress,
  factorRequired,
}: SessionsDeps): Sessions {
  const attempts = createAttempts(attemptLimits);

  /** Other hosts of the domain can't set a `__Host-` cookie (RFC 6265bis section 4.1.3). Browsers accept it only over TLS. */
  const isSecure = ({ headers }: FastifyRequest): boolean =>
    ownAddress.publicUrl?.protocol === 'https:' && isToPublicUrl(headers, ownAddress);
  // Includes the port, because browsers share cookies between ports and two projects may run on one host.
  const cookieName = (request: FastifyRequest): string =>
    isSecure(request) ? '__Host-plinth-console' : `plinth-console-${new URL(consoleUrl()).port || 'default'}`;

  function cookieHeader(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
    // The path limits the cookie, because other ports of this host would receive it too.
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
   * Returns undefined if there is no session or more than one. A page on another port of this host may have set a
   * second cookie to make the operator work in a foreign session.
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
      if (operator === undefined) throw new Error(`The operator ${operatorName} doesn't exist.`);
      return linkTokenFor(operator.id, linkLifetimeSeconds);
    },
    linkTokenFor,
    checkSignIn(request) {
      // The port's guard has checked the browser's headers. This header can't be sent by a form of another website.
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
      // Ends the browser's previous sessions, which would otherwise stay open.
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
