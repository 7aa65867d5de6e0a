/**
 * The data that the main process sends to an API worker at startup. It contains secrets, so it is sent only over IPC.
 */
import type { Config } from '../config/index.ts';
import type { Member } from '../database/types.ts';
import type { LeadMount } from '../gateway/index.ts';
import type { PemPair } from '../kernel/tls.ts';

export interface WorkerInit {
  /**
   * The main process's version. If it differs from the worker's version, the worker exits, because Plinth has been
   * updated.
   */
  readonly version: string;
  readonly workers: number;
  readonly projectDir: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  readonly config: Config;
  /** Whether the worker serves REST. If false, REST is disabled. */
  readonly hasRest: boolean;
  readonly member: Member;
  /** The socket where the main process serves all other requests. */
  readonly leadSocket: string;
  /** The folder for the worker's own socket. The worker removes it if the main process exits. */
  readonly socketDir: string;
  /** All mounts of the main process. */
  readonly mounts: readonly LeadMount[];
  readonly apiUrl: string;
  /** Undefined if the port uses unencrypted HTTP. */
  readonly certificates: readonly PemPair[] | undefined;
}
