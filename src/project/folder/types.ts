import type { Logger } from '../../base/kernel/log.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';

export interface ProjectDeps {
  readonly database: Database;
  readonly config: Config;
  readonly keys: Pick<Keys, 'secretKey'>;
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  readonly mode: 'development' | 'production';
  readonly log: Logger;
  readonly onProgress: (message: string) => void;
  /**
   * Aborts the work on the database. Waits end, and transactions are canceled. A statement that can't run in a
   * transaction is completed, because a canceled one can leave an incomplete object behind.
   */
  readonly signal?: AbortSignal | undefined;
}
