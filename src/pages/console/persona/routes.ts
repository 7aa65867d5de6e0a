import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Api } from '../routes/api.ts';
import { identify, searchUsers } from './act.ts';
import { parsePersona, printPersona } from './persona.ts';

/** The number of suggestions that fit below the search field. */
const choices = 8;

export interface PersonaDeps {
  readonly database: Database;
  readonly clock: Clock;
}

export function personaRoutes(api: Api, { database, clock }: PersonaDeps): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  route('GET /personas/users', 'read', async ({ query }) => {
    const { search } = await query();
    return { users: await searchUsers(db, search, choices) };
  });
  route('GET /personas/identity', 'read', async ({ query, operator }) => {
    const persona = parsePersona((await query()).as);
    const { role, claims, name } = await identify(db, persona, clock.now(), operator.role);
    return { as: printPersona(persona), role, claims, name };
  });
}
