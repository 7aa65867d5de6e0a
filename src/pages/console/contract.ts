/**
 * The types of all routes in the Console's API, for the web app. This file contains only types, because importing a
 * value would load zod.
 */

import type { contract as access } from './access/contract.ts';
import type { contract as advisors } from './advisors/contract.ts';
import type { contract as agents } from './agents/contract.ts';
import type { contract as alerts } from './alerts/contract.ts';
import type { contract as ask } from './ask/contract.ts';
import type { contract as backups } from './backups/contract.ts';
import type { contract as branches } from './branches/contract.ts';
import type { contract as extensions } from './extensions/contract.ts';
import type { contract as functions } from './functions/contract.ts';
import type { contract as graphql } from './graphql/contract.ts';
import type { contract as home } from './home/contract.ts';
import type { contract as inbox } from './inbox/contract.ts';
import type { contract as indexes } from './indexes/contract.ts';
import type { contract as jobs } from './jobs/contract.ts';
import type { contract as keys } from './keys/contract.ts';
import type { contract as logs } from './logs/contract.ts';
import type { contract as migrations } from './migrations/contract.ts';
import type { contract as nodes } from './nodes/contract.ts';
import type { contract as objects } from './objects/contract.ts';
import type { contract as operators } from './operators/contract.ts';
import type { contract as persona } from './persona/contract.ts';
import type { contract as policies } from './policies/contract.ts';
import type { contract as queries } from './queries-page/contract.ts';
import type { contract as realtime } from './realtime/contract.ts';
import type { contract as reference } from './reference/contract.ts';
import type { contract as replay } from './replay/contract.ts';
import type { contract as routines } from './routines/contract.ts';
import type { contract as schema } from './schema/contract.ts';
import type { contract as search } from './search/contract.ts';
import type { contract as settings } from './settings/contract.ts';
import type { contract as sql } from './sql-page/contract.ts';
import type { contract as statementHistory } from './statement-history/contract.ts';
import type { contract as storage } from './storage/contract.ts';
import type { contract as tables } from './tables/contract.ts';
import type { contract as tokens } from './tokens/contract.ts';
import type { contract as triggers } from './triggers/contract.ts';
import type { contract as undo } from './undo/contract.ts';
import type { contract as userWebhooks } from './user-webhooks/contract.ts';
import type { contract as users } from './users/contract.ts';
import type { contract as views } from './views/contract.ts';
import type { contract as why } from './why/contract.ts';

export type ConsoleContract = typeof access &
  typeof alerts &
  typeof advisors &
  typeof agents &
  typeof ask &
  typeof backups &
  typeof branches &
  typeof extensions &
  typeof functions &
  typeof graphql &
  typeof home &
  typeof inbox &
  typeof indexes &
  typeof jobs &
  typeof keys &
  typeof logs &
  typeof migrations &
  typeof nodes &
  typeof objects &
  typeof operators &
  typeof persona &
  typeof policies &
  typeof queries &
  typeof realtime &
  typeof reference &
  typeof replay &
  typeof routines &
  typeof schema &
  typeof search &
  typeof settings &
  typeof sql &
  typeof statementHistory &
  typeof storage &
  typeof tables &
  typeof tokens &
  typeof triggers &
  typeof undo &
  typeof users &
  typeof userWebhooks &
  typeof views &
  typeof why;
