/** The schema of every key in `supabase/config.toml` and in our own `supabase/plinth.toml`. */
import { api } from './api.ts';
import { auth } from './auth.ts';
import { db } from './database.ts';
import { optionalText, section, type ValueOf } from './define.ts';
import { plinthSchema } from './plinth.ts';
import {
  analytics,
  edgeRuntime,
  experimental,
  functions,
  localSmtp,
  realtime,
  storage,
  studio,
} from './services.ts';

export const projectSchema = section('supabase/config.toml', {
  project_id: optionalText('Project name, with up to 40 characters from A-Z a-z 0-9 _ . -', {
    defaultText: 'name of the project folder',
  }),
  api,
  db,
  realtime,
  studio,
  local_smtp: localSmtp,
  storage,
  auth,
  edge_runtime: edgeRuntime,
  functions,
  analytics,
  experimental,
});

export { plinthSchema };

type Project = ValueOf<typeof projectSchema>;

/**
 * The configuration as services read it: upstream's names, durations in milliseconds, sizes in bytes, files as absolute
 * paths, and `undefined` for absent optional settings.
 *
 * @example
 * if (!config.auth.email.enable_signup) refuse();
 * const timeoutMs = config.db.health_timeout;
 */
export interface Config extends Omit<Project, 'project_id'> {
  readonly project_id: string;
  /** `supabase/plinth.toml` */
  readonly plinth: ValueOf<typeof plinthSchema>;
}
