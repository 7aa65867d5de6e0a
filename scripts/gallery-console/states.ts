/** Lists the page states of the Console of which `gallery-console.ts` takes screenshots. */
import type { State } from './state.ts';
import { graphql } from './states/graphql.ts';
import { home } from './states/home.ts';
import { objects } from './states/objects.ts';
import { broken, operations } from './states/operations.ts';
import { others, signedOut } from './states/others.ts';
import { policies } from './states/policies.ts';
import { project } from './states/project.ts';
import { functions, jobs, realtime } from './states/services.ts';
import { settings } from './states/settings.ts';
import { queries, sql } from './states/sql.ts';
import { storage } from './states/storage.ts';
import { structure } from './states/structure.ts';
import { tables } from './states/tables.ts';
import { users } from './states/users.ts';

export const states: readonly State[] = [
  ...home,
  ...tables,
  ...structure,
  ...objects,
  ...sql,
  ...graphql,
  ...policies,
  ...storage,
  ...functions,
  ...jobs,
  ...realtime,
  ...operations,
  ...project,
  ...settings,
  ...others,
  ...queries,
  ...users,
  ...signedOut,
  ...broken,
];
