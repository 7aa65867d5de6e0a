/**
 * Starts a backend with the cases' tables, requests explanations from the Console, and performs the same requests
 * through REST.
 */
import { expect } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { operator, startBackend } from '../harness.ts';
import type { Case } from './case.ts';
import { whySchema } from './schema.ts';

export async function startWhyProject() {
  const backend = await startBackend();
  const owner = await operator(backend);
  // Roles belong to the cluster, which the tests share, so their names are specific to this file.
  await backend.database.pool('supabase_admin').exec(`
    create role why_editor nologin; grant why_editor to authenticator; grant authenticated to why_editor;
    create role why_auditor nologin bypassrls; grant why_auditor to authenticator;
    create role why_landlord nologin; grant why_landlord to authenticator, postgres;
    grant usage, create on schema public to why_landlord; grant usage on schema auth to why_landlord;
    set role postgres; ${whySchema}; reset role; notify pgrst, 'reload schema'`);

  const address = (claims: object | undefined): string =>
    claims === undefined ? 'anon' : `claims:${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;

  const ask = ({ as, operation, table, key = {}, values = {}, returned = [] }: Case) =>
    owner.call('POST', '/why', {
      schema: 'public',
      table,
      as: address(as),
      operation,
      key,
      values,
      returned,
    });

  const state = async (): Promise<unknown> =>
    (
      await backend.database.pool('supabase_admin').query<{ all: string }>(sql`
        select md5(string_agg(n::text, '|' order by n::text)) as all from (
          select n::text from public.notes n union all select s::text from public.stamped s
          union all select s::text from public.serial_notes s union all select i::text from public.identity_notes i
          union all select g::text from public.guarded g) x (n)`)
    )[0]?.all;

  const rest = (path: string, method: string, init: RequestInit = {}): Promise<Response> =>
    backend.fetch(`/rest/v1/${path}`, {
      ...init,
      method,
      headers: { apikey: backend.keys.publishableKey, ...(init.headers as Record<string, string>) },
    });

  /** Sends the request to REST as a client of the project, and returns the outcome. */
  async function byRest({
    as,
    operation,
    table,
    key = {},
    values = {},
    sent = values,
    returned = [],
  }: Case): Promise<string> {
    const token = as === undefined ? undefined : backend.keys.sign(as);
    const query = new URLSearchParams(Object.entries(key).map(([name, value]) => [name, `eq.${value}`]));
    if (returned.length > 0) query.set('select', returned.join(','));
    const method = { select: 'GET', insert: 'POST', update: 'PATCH', delete: 'DELETE' }[operation];
    const response = await rest(`${encodeURIComponent(table)}?${query}`, method, {
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        prefer: `return=${returned.length > 0 ? 'representation' : 'minimal'},count=exact`,
      },
      ...(operation === 'insert' || operation === 'update' ? { body: JSON.stringify(sent) } : {}),
    });
    const text = await response.text();
    if (!response.ok) {
      // PostgreSQL must have rejected the request, not REST itself.
      expect((JSON.parse(text) as { code: string }).code).toMatch(/^(?:42501|22012|23505)$/);
      return 'refused';
    }
    if (operation === 'select') return (JSON.parse(text) as unknown[]).length > 0 ? 'allowed' : 'hidden';
    if (operation === 'insert') return 'allowed';
    return response.headers.get('content-range')?.endsWith('/0') ? 'hidden' : 'allowed';
  }

  /** Restores the tables after a case, because REST commits its requests. */
  async function restoring<T>(work: () => Promise<T>): Promise<T> {
    const admin = backend.database.pool('supabase_admin');
    const tables = ['notes', 'stamped', 'serial_notes', 'identity_notes', 'closed', 'guarded'];
    await admin.exec(
      tables.map((name) => `create table _plinth.kept_${name} as select * from public.${name}`).join(';'),
    );
    try {
      return await work();
    } finally {
      await admin.exec(
        tables
          .map(
            (name) =>
              `delete from public.${name}; insert into public.${name} overriding system value select * from _plinth.kept_${name}; drop table _plinth.kept_${name}`,
          )
          .join(';'),
      );
    }
  }

  // REST finds the tables only after it has been notified.
  while ((await rest('typed', 'GET')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));

  async function stop(): Promise<void> {
    await backend.database
      .pool('supabase_admin')
      .exec(
        'drop owned by why_landlord, why_editor, why_auditor cascade; drop role why_editor, why_auditor, why_landlord',
      )
      .catch(() => undefined);
    await backend.stop();
  }

  return { backend, owner, address, ask, byRest, restoring, state, stop };
}
