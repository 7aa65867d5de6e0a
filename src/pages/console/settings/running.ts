/**
 * Applies changed settings while the server runs, restarts the server, and compares the files with the running
 * settings.
 */
import { randomUUID } from 'node:crypto';
import {
  ConfigError,
  type NeedsRestart,
  noticeText,
  type Overrides,
} from '../../../platform/config/index.ts';
import type { GroupView } from '../../../platform/group/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, anyTime } from '../routes/api.ts';
import type { Applied, RunningState } from './contract.ts';
import type { SettingsLock } from './write-files.ts';

/** Reloads the settings. Implemented in `backend/configuration.ts`. */
export interface RunningConfiguration {
  /** Reads the settings files and applies the changes. @throws {ConfigError} */
  reload(): Promise<Applied>;
  status(): {
    readonly changedAtMs: number | undefined;
    readonly unapplied: readonly string[];
    readonly needsRestart: readonly NeedsRestart[];
    readonly faults: readonly string[];
  };
  /** Returns the sources of setting values that aren't from the files. */
  origins(): { readonly overrides: Overrides; hasVariable(name: string): boolean };
}

export interface RunningDeps {
  /** Undefined if the server's settings don't come from files. */
  readonly configuration: RunningConfiguration | undefined;
  /** Restarts the server. Undefined if the server can't be restarted. */
  readonly restart: (() => void) | undefined;
  /** All routes that change the settings files share this lock. */
  readonly settingsLock: SettingsLock;
}

export interface Running {
  state(): RunningState;
  /**
   * Applies the files. Does nothing if the server's settings don't come from files.
   * @throws {ConsoleError} bad_request
   */
  apply(): Promise<Applied>;
}

export function createRunning({
  configuration,
  restart,
}: Pick<RunningDeps, 'configuration' | 'restart'>): Running {
  const run = randomUUID();
  return {
    state() {
      const status = configuration?.status();
      return {
        changedAt: status?.changedAtMs === undefined ? null : new Date(status.changedAtMs).toISOString(),
        unapplied: status?.unapplied.map(fileKey) ?? [],
        needsRestart: status?.needsRestart.map(withFileKey) ?? [],
        faults: status?.faults ?? [],
        canReload: configuration !== undefined,
        canRestart: restart !== undefined,
        run,
      };
    },
    async apply() {
      if (configuration === undefined) return { applied: [], needsRestart: [], problems: [] };
      try {
        const { applied, needsRestart, problems } = await configuration.reload();
        return { applied: applied.map(fileKey), needsRestart: needsRestart.map(withFileKey), problems };
      } catch (error) {
        const faults = error instanceof ConfigError ? error.faults.map(noticeText) : [messageOf(error)];
        throw new ConsoleError('bad_request', { message: faults.join('\n') });
      }
    },
  };
}

export function runningRoutes(
  api: Api,
  running: Running,
  {
    configuration,
    restart,
    settingsLock,
    audit,
    view,
  }: RunningDeps & { readonly audit: Audit; readonly view: Pick<GroupView, 'isShared' | 'nodes'> },
): void {
  const route = api.feature(() => import('./contract.ts'));
  route('GET /settings/running', 'read', async () => ({ ...running.state(), nodes: await countNodes(view) }));
  route('POST /settings/reload', 'write', async (call) => {
    const applied = await settingsLock.alone(running.apply);
    await audit(call, 'settings.reload', '', { keys: applied.applied });
    return applied;
  });
  route('POST /settings/restart', anyTime('own'), async (call) => {
    if (restart === undefined)
      throw new ConsoleError('refused', {
        message:
          "The server can't restart itself. Restart it with the command or service manager that started it.",
      });
    const faults = configuration?.status().faults ?? [];
    if (faults.length > 0) throw new ConsoleError('bad_request', { message: faults.join('\n') });
    await audit(call, 'server.restart', '');
    // The response is sent first, because the restart closes the connection.
    call.reply.raw.once('close', restart);
  });
}

/** Returns the number of running nodes, or 1 if the database is unreachable. */
async function countNodes(view: Pick<GroupView, 'isShared' | 'nodes'>): Promise<number> {
  if (!view.isShared) return 1;
  const known = await view.nodes().catch(() => []);
  return Math.max(1, known.filter(({ isRunning }) => isRunning).length);
}

/** Returns the setting's key as written in the settings files. */
const fileKey = (key: string): string => key.replace(/^plinth\./, '');

const withFileKey = ({ key, reason }: NeedsRestart): NeedsRestart => ({ key: fileKey(key), reason });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
