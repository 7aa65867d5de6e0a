/** Finds the user or role that a tool's input names. */
import { z } from 'zod';
import { sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../../../platform/database/types.ts';
import type { Persona } from '../../persona/persona.ts';

export const userInput = z
  .string()
  .min(1)
  .max(320)
  .describe('The user: an ID, an email address, or "anon" for requests without a signed-in user.');

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws {Error} if no user has this email address */
export async function personaOf(db: Queryable, user: string): Promise<Persona> {
  if (user === 'anon') return { kind: 'anon' };
  if (uuid.test(user)) return { kind: 'user', id: user.toLowerCase() };
  const [found] = await db.query<{ id: string }>(
    sql`select id from auth.users where lower(email) = ${user.toLowerCase()} and deleted_at is null limit 1`,
  );
  if (found === undefined) throw new Error(`No user has the email address ${user}.`);
  return { kind: 'user', id: found.id };
}
