/**
 * Operators' sign-in: a one-time link becomes a session behind an httpOnly cookie; each changing request proves with the
 * session's CSRF token that it came from one of our pages.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable } from '../database/types.ts';
import { may, type OperatorRole, type Permission } from './core/roles.ts';
import { ConsoleError } from './errors.ts';
import * as queries from './queries.ts';

const cookieName = 'plinth-console';
const linkLifetimeSeconds = 600;
const sessionLifetimeSeconds = 12 * 3600;
/** The operator that the start command's link signs in; made at the first link. */
const firstOperator = { name: 'owner', role: 'owner' } as const;

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly csrfToken: string;
}

export interface Sessions {
  /** The secret part of a fresh one-time link. */
  issueLinkToken(operatorName?: string): Promise<string>;
  /** Spends the link and sets the cookie. @throws {ConsoleError} link_invalid */
  signIn(token: string, request: FastifyRequest, reply: FastifyReply): Promise<Operator>;
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** @throws {ConsoleError} signed_out, csrf, forbidden */
  authorize(request: FastifyRequest, permission: Permission): Promise<Operator>;
}

export function createSessions(db: Queryable): Sessions {
  return {
    async issueLinkToken(operatorName = firstOperator.name) {
      const operator = await queries.ensureOperator(db, operatorName, firstOperator.role);
      const token = randomBytes(24).toString('base64url');
      await queries.insertLink(db, hash(token), operator.id, linkLifetimeSeconds);
      return token;
    },
    async signIn(token, request, reply) {
      const operator = await queries.takeLink(db, hash(token));
      if (operator === undefined) throw new ConsoleError('link_invalid');
      const cookie = randomBytes(32).toString('base64url');
      const csrfToken = randomBytes(24).toString('base64url');
      const userAgent = request.headers['user-agent']?.slice(0, 400) ?? null;
      await queries.insertSession(db, {
        cookieHash: hash(cookie),
        operatorId: operator.id,
        csrfToken,
        userAgent,
        lifetimeSeconds: sessionLifetimeSeconds,
      });
      reply.header('set-cookie', cookieHeader(cookie, sessionLifetimeSeconds, request.protocol === 'https'));
      return { ...operator, csrfToken };
    },
    async signOut(request, reply) {
      const cookie = readCookie(request);
      if (cookie !== undefined) await queries.deleteSession(db, hash(cookie));
      reply.header('set-cookie', cookieHeader('', 0, request.protocol === 'https'));
    },
    async authorize(request, permission) {
      const cookie = readCookie(request);
      const row = cookie === undefined ? undefined : await queries.findSession(db, hash(cookie));
      if (row === undefined) throw new ConsoleError('signed_out');
      if (request.method !== 'GET' && !isSame(request.headers['x-plinth-csrf'], row.csrf_token))
        throw new ConsoleError('csrf');
      if (!may(row.role, permission)) throw new ConsoleError('forbidden');
      return { id: row.id, name: row.name, role: row.role, csrfToken: row.csrf_token };
    },
  };
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

function isSame(given: unknown, expected: string): boolean {
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(expected));
}

function cookieHeader(value: string, maxAgeSeconds: number, secure: boolean): string {
  return `${cookieName}=${value}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`;
}

function readCookie(request: FastifyRequest): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName && value) return value;
  }
  return undefined;
}
