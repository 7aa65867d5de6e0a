/**
 * Who asks, and in whose name the database is asked: as the user, so that policies decide, or as the service role for
 * what the server itself must know or write.
 */
import type { FastifyRequest } from 'fastify';
import type { RawRow, RequestContext, Setting, Transaction, TransactionOptions } from '../database/types.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { isUuid } from './core/names.ts';
import { judgeToken } from './core/token-judge.ts';
import { translateDatabaseError } from './database-errors.ts';
import { StorageError } from './errors.ts';
import type { Operation } from './operations.ts';
import type { Asks } from './queries/asks.ts';
import type { StorageService } from './service.ts';

export interface Owner {
  /** `sub` when it is a UUID. */
  readonly owner: string | null;
  /** `sub`, whatever it is. */
  readonly ownerId: string | null;
}

type Work<T> = (tx: Transaction) => Promise<T>;
type WorkOptions = Omit<TransactionOptions, 'settings'>;

export interface Scope {
  /** False without a good token, where the route allows that. */
  readonly authenticated: boolean;
  readonly role: string;
  readonly owner: Owner;
  /** Never read only, even for reads: a user's policies may call functions that write (audit logs). */
  asUser<T>(work: Work<T>, options?: WorkOptions): Promise<T>;
  asService<T>(work: Work<T>, options?: WorkOptions): Promise<T>;
  /** Inside a transaction of the service role: whether the user may do `work` there. It is undone, its error thrown on. */
  tryAsUser(tx: Transaction, work: Work<void>): Promise<void>;
  /** Each statement is a transaction of its own, in one round trip. */
  eachAsUser(options?: EachOptions): Asks;
  eachAsService(options?: EachOptions): Asks;
  /** One statement in a transaction of its own, its rows handed on as they come; they count once this has resolved. */
  rowsAsUser(statement: Sql, onRow: (row: RawRow) => void): Promise<void>;
}

type EachOptions = Pick<WorkOptions, 'readOnly' | 'end'>;

/**
 * - `required`: a good bearer token or AccessDenied.
 * - `optional`: without a good token the caller is an unauthenticated `anon`.
 * - `none`: tokens are not looked at (public and signed URLs); `asUser` is the service role.
 */
export type TokenRule = 'required' | 'optional' | 'none';

export const serviceRole = 'service_role';

interface Caller {
  readonly authenticated: boolean;
  readonly role: string;
  readonly subject: string | undefined;
  readonly token: string;
  readonly claimsJson: string;
}

const anonymous: Caller = {
  authenticated: false,
  role: 'anon',
  subject: undefined,
  token: '',
  claimsJson: '{"role":"anon"}',
};
const server: Caller = {
  authenticated: false,
  role: serviceRole,
  subject: undefined,
  token: '',
  claimsJson: `{"role":"${serviceRole}"}`,
};

export function openScope(
  service: StorageService,
  request: FastifyRequest,
  operation: Operation,
  rule: TokenRule = 'required',
): Scope {
  return scopeOf(service, request, operation, rule === 'none' ? server : identify(service, request, rule));
}

/** The scope of a request that proved its right in another way (S3): as the holder of a token, or as the service role. */
export function openScopeAs(
  service: StorageService,
  request: FastifyRequest,
  operation: Operation,
  token: string | undefined,
): Scope {
  return scopeOf(service, request, operation, token === undefined ? server : callerOf(service, token));
}

function scopeOf(
  service: StorageService,
  request: FastifyRequest,
  operation: Operation,
  caller: Caller,
): Scope {
  const run = async <T>(as: Caller, work: Work<T>, options?: WorkOptions): Promise<T> => {
    try {
      return await service.database.asRequest(contextOf(service, as, request, operation), work, options);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
  const each = (as: Caller, options?: EachOptions): Asks => ({
    async query<R extends object>(statement: Sql): Promise<R[]> {
      try {
        const context = contextOf(service, as, request, operation);
        const [rows] = await service.database.statementsAsRequest(context, [statement], options);
        return rows as R[];
      } catch (error) {
        throw translateDatabaseError(error);
      }
    },
  });
  return {
    authenticated: caller.authenticated,
    role: caller.role,
    owner: ownerOf(caller.subject),
    asUser: (work, options) => run(caller, work, options),
    asService: (work, options) => run(server, work, options),
    async tryAsUser(tx, work) {
      const { role, settings } = contextOf(service, caller, request, operation);
      const calls = [...settings, ['role', role]].map(
        ([name = '', value = '']) => sql`set_config(${name}, ${value}, true)`,
      );
      const undone = new Error('undone');
      const attempt = tx.savepoint(async (inner) => {
        await inner.query(sql`select ${sql.join(calls)}`);
        await work(inner);
        throw undone;
      });
      await attempt.catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    },
    eachAsUser: (options) => each(caller, options),
    eachAsService: (options) => each(server, options),
    async rowsAsUser(statement, onRow) {
      try {
        await service.database.rowsAsRequest(
          contextOf(service, caller, request, operation),
          statement,
          onRow,
        );
      } catch (error) {
        throw translateDatabaseError(error);
      }
    },
  };
}

/** @throws {StorageError} RoleRefused unless the caller is the service role. */
export function requireServiceRole(scope: Scope): void {
  if (scope.role !== serviceRole) throw new StorageError('RoleRefused');
}

export function ownerOf(subject: string | undefined): Owner {
  if (subject === undefined) return { owner: null, ownerId: null };
  return { owner: isUuid(subject) ? subject : null, ownerId: subject };
}

/** The context of work that no request asked for (recovery). */
export function serverContext(): RequestContext {
  return { role: serviceRole, settings: sharedSettings(server) };
}

function identify(service: StorageService, request: FastifyRequest, rule: 'required' | 'optional'): Caller {
  const token = (request.headers.authorization ?? '').replace(/^Bearer\s+/i, '');
  if (token === '' && rule === 'optional') return anonymous;
  if (rule === 'required') return callerOf(service, token);
  const caller = judgeCaller(service, token);
  return 'refusal' in caller ? anonymous : caller;
}

/** @throws {StorageError} AccessDenied */
function callerOf(service: StorageService, token: string): Caller {
  const caller = judgeCaller(service, token);
  if ('refusal' in caller) throw new StorageError('AccessDenied', caller.refusal);
  return caller;
}

function judgeCaller(
  service: StorageService,
  token: string,
): Caller | { readonly refusal: string | undefined } {
  const verified = service.keys.verify(token);
  const verdict = judgeToken(verified, service.clock.now());
  if ('refusal' in verdict || !verified.ok)
    return { refusal: 'refusal' in verdict ? verdict.refusal : undefined };
  const { role, sub } = verdict.claims;
  return {
    authenticated: true,
    role: typeof role === 'string' && role !== '' ? role : 'anon',
    subject: typeof sub === 'string' && sub !== '' ? sub : undefined,
    token,
    claimsJson: verified.claimsJson,
  };
}

function contextOf(
  service: StorageService,
  caller: Caller,
  request: FastifyRequest,
  operation: Operation,
): RequestContext {
  return {
    role: caller.role,
    settings: [
      ...sharedSettings(caller),
      ['request.headers', JSON.stringify(request.headers)],
      ['request.method', request.method],
      ['request.path', pathOf(request.url)],
      ['storage.operation', operation],
      ...(service.notesEvents ? [noteEvents] : []),
    ],
  };
}

function sharedSettings(caller: Caller): Setting[] {
  return [
    ['search_path', 'storage, public, extensions'],
    ['request.jwt.claim.role', caller.role],
    ['request.jwt.claim.sub', caller.subject ?? ''],
    ['request.jwt.claims', caller.claimsJson],
    ['request.jwt', caller.token],
    ['storage.allow_delete_query', 'true'],
  ];
}

/** Asks the triggers of storage.objects to write down what happens (`sql/0005_events.sql`). */
const noteEvents: Setting = ['storage.events', 'on'];

/** The URL as policies and error texts know it: without the mount. */
export function pathOf(url: string): string {
  return url.startsWith(mountPrefix) ? url.slice(mountPrefix.length) || '/' : url;
}

export const mountPrefix = '/storage/v1';
