/** Reads a request from the log, with the values with which the form begins. */
import type { Queryable } from '../../../platform/database/types.ts';
import type { LogEntry } from '../../../platform/telemetry/types.ts';
import type { OperatorRole } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { identify } from '../persona/act.ts';
import { type Persona, parsePersona, printPersona } from '../persona/persona.ts';
import type { LoggedRequest } from './contract.ts';
import { hasBody, isQueryCut, likelyHeaders } from './core/logged.ts';
import { targetOf } from './core/target.ts';

interface Reading {
  readonly id: string;
  readonly nowMs: number;
  readonly role: OperatorRole;
}

export async function readLogged(
  db: Queryable,
  entries: readonly LogEntry[],
  reading: Reading,
): Promise<LoggedRequest> {
  const entry = entries.find(({ kind }) => kind === 'request');
  if (entry?.method === undefined || entry.path === undefined)
    throw new ConsoleError('not_found', { message: 'The log no longer contains this request.' });
  const { method, query } = entry;
  const path = query === undefined || query === '' ? entry.path : `${entry.path}?${query}`;
  const target = targetOf(method, path);
  return {
    requestId: reading.id,
    at: entry.at,
    method,
    path,
    status: entry.status ?? null,
    durationMs: entry.durationMs ?? null,
    role: entry.role ?? null,
    userId: entry.userId ?? null,
    ...(await personaOf(db, entry, reading)),
    kind: target.kind,
    unsupported: target.kind === null ? target.unsupported : null,
    headers: likelyHeaders(entry),
    hasBody: hasBody(entry),
    isQueryCut: isQueryCut(query),
  };
}

async function personaOf(
  db: Queryable,
  { role = 'anon', userId }: LogEntry,
  { nowMs, role: operator }: Reading,
): Promise<Pick<LoggedRequest, 'as' | 'name' | 'isUserGone'>> {
  if (role === 'service_role') return { as: 'operator', name: 'service_role', isUserGone: false };
  if (userId === undefined && role === 'anon') return { as: 'anon', name: 'anon', isUserGone: false };
  const user = userId === undefined ? undefined : userPersona(userId);
  if (user !== undefined && role === 'authenticated') {
    const found = await identify(db, user, nowMs, operator).catch((error: unknown) => {
      if (error instanceof ConsoleError) return undefined;
      throw error;
    });
    if (found !== undefined) return { as: printPersona(user), name: found.name, isUserGone: false };
  }
  const claims = { role, ...(userId === undefined ? {} : { sub: userId }) };
  return {
    as: printPersona({ kind: 'claims', claims }),
    name: userId ?? role,
    isUserGone: user !== undefined && role === 'authenticated',
  };
}

/** Returns undefined if the ID isn't a UUID, because tokens of other issuers can contain any subject. */
function userPersona(id: string): Persona | undefined {
  try {
    return parsePersona(`user:${id}`);
  } catch {
    return undefined;
  }
}
