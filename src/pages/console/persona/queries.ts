import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { UserChoice } from './contract.ts';

export interface PersonaUser {
  id: string;
  email: string | null;
  phone: string | null;
  aud: string | null;
  role: string | null;
  is_anonymous: boolean;
  raw_app_meta_data: object | null;
  raw_user_meta_data: object | null;
}

const fields = sql.raw('id, email, phone, aud, role, is_anonymous, raw_app_meta_data, raw_user_meta_data');

export async function findUser(db: Queryable, id: string): Promise<PersonaUser | undefined> {
  const [row] = await db.query<PersonaUser>(
    sql`select ${fields} from auth.users where id = ${id}::uuid and deleted_at is null`,
  );
  return row;
}

/**
 * Finds users whose name, email address, phone number or ID contains `search`. The users who signed in most recently
 * are listed first.
 */
export const searchUsers = (db: Queryable, search: string, limit: number): Promise<UserChoice[]> =>
  db.query<UserChoice>(sql`
    select id, coalesce(nullif(email, ''), nullif(phone, '')) as name, is_anonymous as guest
    from auth.users
    where deleted_at is null
      and (strpos(lower(coalesce(email, '')), lower(${search}::text)) > 0
        or strpos(coalesce(phone, ''), ${search}::text) > 0
        or strpos(lower(coalesce(raw_user_meta_data ->> 'full_name', raw_user_meta_data ->> 'name', '')),
                  lower(${search}::text)) > 0
        or strpos(id::text, lower(${search}::text)) > 0)
    order by last_sign_in_at desc nulls last, created_at desc limit ${limit}::int`);
