/** The app's users, as far as a persona needs them. */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';

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

export interface UserChoice {
  id: string;
  /** Email address or phone number; null for a guest without either. */
  name: string | null;
  guest: boolean;
}

/** Those whose address, number or id holds `search`, the last to sign in first. */
export const searchUsers = (db: Queryable, search: string, limit: number): Promise<UserChoice[]> =>
  db.query<UserChoice>(sql`
    select id, coalesce(nullif(email, ''), nullif(phone, '')) as name, is_anonymous as guest
    from auth.users
    where deleted_at is null
      and (strpos(lower(coalesce(email, '')), lower(${search}::text)) > 0
        or strpos(coalesce(phone, ''), ${search}::text) > 0
        or strpos(id::text, lower(${search}::text)) > 0)
    order by last_sign_in_at desc nulls last, created_at desc limit ${limit}::int`);
