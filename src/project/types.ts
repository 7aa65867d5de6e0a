import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import type { Keys } from '../keys/types.ts';

export interface ProjectDeps {
  readonly database: Database;
  readonly config: Config;
  readonly keys: Pick<Keys, 'secretKey'>;
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  readonly mode: 'development' | 'production';
  readonly log: Logger;
  readonly onProgress: (message: string) => void;
}
