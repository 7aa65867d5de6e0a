/** The schema of all keys in `supabase/config.toml` and in Plinth's own `supabase/plinth.toml`. */
import { auth } from './auth.ts';
import { db } from './database.ts';
import { optionalText, restart, section, type ValueOf } from './define.ts';
import { plinthSchema } from './plinth/index.ts';
import {
  analytics,
  api,
  edgeRuntime,
  experimental,
  functions,
  localSmtp,
  realtime,
  storage,
  studio,
} from './services.ts';

export const projectSchema = section('supabase/config.toml', {
  project_id: optionalText(
    'Project name, with up to 40 letters, digits and the characters `_`, `.` and `-`.',
    {
      defaultText: 'name of the project folder',
      ...restart('S3 clients and authenticator apps use the name'),
    },
  ),
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
 * The configuration that services use. The configuration has upstream's setting names, durations in milliseconds, sizes
 * in bytes and absolute paths to files. Missing optional settings are `undefined`.
 *
 * @example if (!config.auth.email.enable_signup) refuse(); const timeoutMs = config.db.health_timeout;
 */
export interface Config extends Omit<Project, 'project_id'> {
  readonly project_id: string;
  /** The settings from `supabase/plinth.toml`. */
  readonly plinth: ValueOf<typeof plinthSchema>;
}
