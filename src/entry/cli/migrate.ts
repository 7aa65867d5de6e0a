/**
 * The code that the migration commands share: the source and target of a migration, the options, and the printed
 * reports.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizeText } from '../../base/shared/printable.ts';
import { loadConfig, setToml, shellEnvironment } from '../../platform/config/index.ts';
import {
  type CheckReport,
  deployFunctions,
  downloadFunctions,
  type EndOptions,
  type FunctionsReport,
  isSignedWith,
  type ManagementAccess,
  type Report,
} from '../../project/migrate/index.ts';
import { type Input, type Option, projectOptions, UsageError } from './command.ts';
import { findRunning } from './control.ts';
import { CommandError } from './errors.ts';
import { say } from './output.ts';
import type { ProjectLocation } from './project-location.ts';
import { type LocalEnd, localEndOf, withBackend, withCompleteDatabase } from './remote-calls.ts';

/**
 * Returns the options for the migration's other end, which is the project that data is migrated from or to. `prefix` is
 * `target-` for `migrate to`.
 */
export const otherEndOptions = (prefix: '' | 'target-', which: string) =>
  ({
    [`${prefix}db-url`]: {
      type: 'string',
      value: 'URL',
      help: `Database URL of ${which}, with the account postgres. Default: MIGRATE_DB_URL.`,
    },
    password: {
      type: 'string',
      short: 'p',
      value: 'PASSWORD',
      help: 'Password, if the URL has none. Default: the SUPABASE_DB_PASSWORD environment variable.',
    },
    [`${prefix}project-url`]: {
      type: 'string',
      value: 'URL',
      help: `Address of ${which}'s API, for objects. Default: MIGRATE_PROJECT_URL.`,
    },
    [`${prefix}service-key`]: {
      type: 'string',
      value: 'KEY',
      help: `Secret key or service_role key of ${which}, for objects. Default: MIGRATE_SERVICE_KEY.`,
    },
  }) satisfies Record<string, Option>;

export const functionsOptions = {
  'project-ref': {
    type: 'string',
    value: 'REF',
    help: 'Project ref at the Management API, for functions. Default: from the project URL.',
  },
  'access-token': {
    type: 'string',
    value: 'TOKEN',
    help: 'Access token for the Management API, for functions. Default: SUPABASE_ACCESS_TOKEN.',
  },
  'management-url': {
    type: 'string',
    value: 'URL',
    help: 'Address of the Management API. Default: https://api.supabase.com.',
  },
} as const satisfies Record<string, Option>;

/**
 * Returns the access data for the Management API at the migration's other end. Returns undefined if no project or no
 * token is specified, because the functions aren't migrated in this case.
 */
export function managementOf(input: Input, projectUrl: string | undefined): ManagementAccess | undefined {
  const accessToken = input.text('access-token') ?? shellEnvironment().SUPABASE_ACCESS_TOKEN;
  const hosted = /^https:\/\/([a-z]{20})\.supabase\.(?:co|in|red)\/?$/.exec(projectUrl ?? '')?.[1];
  const projectRef = input.text('project-ref') ?? hosted;
  if (input.text('project-ref') !== undefined && accessToken === undefined)
    throw new UsageError('--project-ref requires --access-token or SUPABASE_ACCESS_TOKEN');
  if (projectRef === undefined || accessToken === undefined) return undefined;
  return { apiUrl: input.text('management-url') ?? 'https://api.supabase.com', projectRef, accessToken };
}

const functionsDirOf = ({ projectDir }: ProjectLocation): string => join(projectDir, 'supabase', 'functions');

const noFunctions: FunctionsReport = { functions: [], withoutJwt: [], notes: [] };

/**
 * Downloads the functions. Functions that don't require a token in the source project don't require a token in this
 * project either.
 */
export async function migrateFunctions(
  location: ProjectLocation,
  access: ManagementAccess | undefined,
  options: { readonly overwrite: boolean; readonly check: boolean },
): Promise<FunctionsReport> {
  if (access === undefined) return noFunctions;
  const report = await downloadFunctions(access, functionsDirOf(location), options);
  const { config } = loadConfig({ projectDir: location.projectDir });
  const changed = report.withoutJwt.filter((slug) => config.functions[slug]?.verify_jwt !== false);
  if (changed.length === 0 || options.check) return report;
  const path = join(location.projectDir, 'supabase', 'config.toml');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  writeFileSync(
    path,
    changed.reduce((edited, slug) => setToml(edited, ['functions', slug, 'verify_jwt'], false), text),
  );
  return {
    ...report,
    notes: [...report.notes, `Set verify_jwt = false in config.toml for ${changed.join(', ')}.`],
  };
}

export async function sendFunctions(
  location: ProjectLocation,
  access: ManagementAccess | undefined,
  check: boolean,
): Promise<FunctionsReport> {
  if (access === undefined) return noFunctions;
  const { config } = loadConfig({ projectDir: location.projectDir });
  const verifyJwt = (slug: string): boolean => config.functions[slug]?.verify_jwt !== false;
  return await deployFunctions(access, functionsDirOf(location), verifyJwt, check);
}

export const transferOptions = {
  ...projectOptions,
  check: {
    type: 'boolean',
    help: "Lists the differences and everything that can't be migrated. Changes nothing.",
  },
  'start-jobs': {
    type: 'boolean',
    help: 'Activates the cron jobs that are active on the source. Otherwise, new jobs are paused.',
  },
  overwrite: {
    type: 'boolean',
    help: 'Deletes rows and objects that exist only in the target.',
  },
  'keep-going': { type: 'boolean', help: "Skips and lists definitions that can't be created." },
  parallel: {
    type: 'string',
    value: 'N',
    help: 'Number of objects to transfer at the same time. Default: 8.',
  },
  json: { type: 'boolean', help: 'Prints JSON.' },
} as const satisfies Record<string, Option>;

/** Returns the migration's other end. @throws {UsageError} if the database of the other end isn't specified */
export function otherEnd(input: Input, prefix: '' | 'target-', name: string): EndOptions {
  const environment = shellEnvironment();
  const databaseUrl = input.text(`${prefix}db-url`) ?? environment.MIGRATE_DB_URL;
  if (databaseUrl === undefined) throw new UsageError(`--${prefix}db-url or MIGRATE_DB_URL is required`);
  const projectUrl = input.text(`${prefix}project-url`) ?? environment.MIGRATE_PROJECT_URL;
  const serviceKey = input.text(`${prefix}service-key`) ?? environment.MIGRATE_SERVICE_KEY;
  if ((projectUrl === undefined) !== (serviceKey === undefined))
    throw new UsageError(`--${prefix}project-url and --${prefix}service-key must be used together`);
  if (projectUrl !== undefined && !/^https?:\/\/./.test(projectUrl))
    throw new UsageError(`--${prefix}project-url must begin with https:// or http://`);
  return {
    name,
    databaseUrl,
    password: input.text('password') ?? environment.SUPABASE_DB_PASSWORD,
    storage: projectUrl === undefined || serviceKey === undefined ? undefined : { projectUrl, serviceKey },
  };
}

export function parallelOf(input: Input): number {
  const text = input.text('parallel') ?? '8';
  const parallel = Number(text);
  if (!/^\d+$/.test(text) || parallel < 1 || parallel > 64)
    throw new UsageError(`--parallel: ${text} isn't a number from 1 to 64`);
  return parallel;
}

export interface LocalEndOptions {
  /** Whether objects are transferred, which requires a running Plinth. */
  readonly needsObjects: boolean;
  /** Whether this project is the source, or is compared, so its database must be complete. */
  readonly isRead: boolean;
}

/**
 * Runs `work` with this project's database, and starts the database if Plinth isn't running. Migrating objects requires
 * a running Plinth.
 */
export async function withLocalEnd<T>(
  location: ProjectLocation,
  { needsObjects, isRead }: LocalEndOptions,
  work: (end: EndOptions, local: LocalEnd) => Promise<T>,
): Promise<T> {
  const running = await findRunning(location.dataDir);
  if (running !== undefined) {
    const local = await running.call<LocalEnd>('migrationEnd');
    const { projectUrl, serviceKey, databaseUrl } = local;
    return await work({ name: ownName, databaseUrl, storage: { projectUrl, serviceKey } }, local);
  }
  if (needsObjects)
    throw new CommandError(
      "Plinth isn't running in this folder, so objects can't be transferred.",
      'Run "plinth start" first, or omit the project URL and the service key.',
    );
  const start = isRead ? withCompleteDatabase : withBackend;
  return await start(location, say, async (backend) => {
    const local = localEndOf(backend);
    return await work({ name: ownName, databaseUrl: local.databaseUrl }, local);
  });
}

const ownName = 'this project';

/** Returns notes about the validity of tokens signed with the source's secret, if the secrets differ. */
export function tokenNotes(sourceKey: string | undefined, targetSecret: string): string[] {
  const isSigned = sourceKey === undefined ? undefined : isSignedWith(sourceKey, targetSecret);
  if (isSigned !== false) return [];
  return [
    "The source's JWT secret differs from this project's. Refresh tokens stay valid, but the source's access tokens and API keys don't. Set [auth] jwt_secret to the source's secret to keep them.",
  ];
}

export function reportText(report: Report): string {
  const changed = report.tables.filter(({ added, changed, deleted }) => added + changed + deleted > 0);
  const rows = changed.map(
    ({ table, added, changed: updated, deleted, replaced }) =>
      `  ${table}: ${added} new, ${updated} changed, ${deleted} deleted${replaced ? ' (replaced as a whole)' : ''}`,
  );
  const { secrets, jobs, objects } = report;
  return [
    `Created ${report.definitions} definitions. Compared ${report.tables.length} tables, of which ${changed.length} changed.`,
    ...rows,
    `Sequences: ${report.sequences} set. Large objects: ${report.largeObjects}.`,
    `Vault secrets: ${secrets.added} new, ${secrets.changed} changed, ${secrets.deleted} deleted.`,
    `Cron jobs: ${jobs.added} new, ${jobs.changed} changed, ${jobs.deleted} deleted.` +
      (jobs.paused > 0 ? ` ${jobs.paused} are paused until a run with --start-jobs.` : ''),
    ...(objects === undefined
      ? ['Objects: not transferred.']
      : [
          `Objects: ${objects.added} new, ${objects.changed} changed, ${objects.deleted} deleted (${sizeText(objects.bytes)}).`,
        ]),
    ...(report.functions.length === 0 ? [] : [`Functions: ${report.functions.join(', ')}.`]),
    ...report.notes.map((note) => `Note: ${note}`),
    report.complete
      ? 'Complete.'
      : 'Incomplete. Fix the problems listed in the notes, and then run the command again.',
  ].join('\n');
}

export function checkText({ missing, different, extra, failing, tables, notes }: CheckReport): string {
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${item}`)];
  return [
    `The rows of ${tables} tables can be migrated. Nothing was changed.`,
    ...list(`Definitions that are missing on the target (${missing.length})`, missing),
    ...list('Definitions that differ and must be made equal first', different),
    ...list("Definitions that can't be created", failing),
    ...list('Definitions that only the target has', extra),
    ...notes.map((note) => `Note: ${note}`),
  ].join('\n');
}
