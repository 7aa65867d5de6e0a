/**
 * The data that the main process sends to an API worker at startup. The data contains secrets, so it is sent only over
 * IPC.
 */

import type { PemPair } from '../../base/kernel/tls.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Member } from '../../platform/database/types.ts';
import type { ForwardedMount } from '../gateway/index.ts';

export interface WorkerInit {
  /**
   * The main process's version. If this version differs from the worker's version, Plinth has been updated, so the
   * worker exits.
   */
  readonly version: string;
  readonly workers: number;
  readonly projectDir: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  readonly config: Config;
  /** Whether the worker serves REST requests. If false, the REST service is disabled. */
  readonly hasRest: boolean;
  readonly member: Member;
  /** The socket on which the main process serves all other requests. */
  readonly mainSocket: string;
  /** The folder for the worker's own socket. The worker removes the folder if the main process exits. */
  readonly socketDir: string;
  /** The mounts of all services in the main process. */
  readonly mounts: readonly ForwardedMount[];
  readonly apiUrl: string;
  /** Undefined if the port uses unencrypted HTTP. */
  readonly certificates: readonly PemPair[] | undefined;
}
