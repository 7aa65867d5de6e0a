/** Explains which program uses a port, if this is another Plinth project. */

import { printable } from '../../base/shared/printable.ts';
import type { Config } from '../../platform/config/index.ts';
import { CommandError } from './errors.ts';
import { runningProjects } from './running-projects.ts';

/**
 * Returns the error to report if a port is in use, with the setting of this port and the project that uses it. Returns
 * all other errors unchanged.
 */
export async function explainPortConflict(error: unknown, config: Config): Promise<unknown> {
  const port = portInUse(error);
  if (port === undefined) return error;
  const setting = settingOf(port, config);
  const other = await projectUsing(port);
  if (setting === undefined || other === undefined) {
    if (setting === undefined) return error;
    const { message } = error as Error;
    return new CommandError(message, `The setting is ${setting} in supabase/config.toml.`);
  }
  const project = printable(`${other.projectId} (${other.projectDir})`);
  return new CommandError(
    `Port ${port} is in use by another Plinth project: ${project}.`,
    `To run both projects, set a different ${setting} in supabase/config.toml, or use --port 0 to use free ports for all services.`,
    `To stop the other project, run "plinth stop --project-id ${printable(other.projectId)}".`,
  );
}

/** Returns the port from the error of Node or of the embedded database. */
function portInUse(error: unknown): number | undefined {
  const { code, port, details } = error as { code?: string; port?: number; details?: { port?: number } };
  if (code === 'EADDRINUSE') return port;
  return code === 'port_taken' ? details?.port : undefined;
}

function settingOf(port: number, config: Config): string | undefined {
  const settings: readonly (readonly [string, number | undefined])[] = [
    ['[api] port', config.api.port],
    ['[db] port', config.db.port],
    ['[studio] port', config.studio.port],
    ['[local_smtp] port', config.local_smtp.port],
    ['[local_smtp] smtp_port', config.local_smtp.smtp_port],
  ];
  return settings.find(([, value]) => value === port)?.[0];
}

async function projectUsing(port: number) {
  for (const project of await runningProjects()) {
    const status = await project.running.call<Record<string, string>>('status').catch(() => ({}));
    if (Object.values(status).some((value) => portOf(value) === port)) return project;
  }
  return undefined;
}

function portOf(value: string): number | undefined {
  return URL.canParse(value) ? Number(new URL(value).port) || undefined : undefined;
}
