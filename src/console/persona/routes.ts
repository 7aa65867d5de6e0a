/** For the picker: users to choose from, and what a persona is to the database. */
import type { Database } from '../../database/types.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Api, parse } from '../routes/api.ts';
import { identify } from './act.ts';
import { parsePersona, printPersona } from './persona.ts';
import { searchUsers } from './queries.ts';

/** As many as fit below the field. */
const choices = 8;

export function personaRoutes(api: Api, database: Database, clock: Clock): void {
  const db = database.pool('postgres');
  api.route('GET', '/personas/users', 'read', async ({ request }) => {
    const { search } = await parse('personaSearch', request.query);
    return { users: await searchUsers(db, search, choices) };
  });
  api.route('GET', '/personas/identity', 'read', async ({ request, operator }) => {
    const persona = parsePersona((await parse('asPersona', request.query)).as);
    const { role, claims, name } = await identify(db, persona, clock.now(), operator.role);
    return { as: printPersona(persona), role, claims, name };
  });
}
