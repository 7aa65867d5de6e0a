/**
 * Reloads the settings while the server runs, and reports whether the settings files differ from the settings in
 * effect.
 */

import type { Logger } from '../../base/kernel/log.ts';
import type { Health } from '../../base/kernel/service.ts';
import {
  type Config,
  ConfigError,
  compareConfigs,
  type FilesState,
  type LiveConfigOwner,
  type Loaded,
  type LoadOptions,
  loadConfig,
  type NeedsRestart,
  noticeText,
  type Overrides,
  readFilesState,
  savedFiles,
  savedFolder,
  settingsFiles,
} from '../../platform/config/index.ts';
import type { Tls } from '../tls/index.ts';

/** The settings files, and a function that loads them. */
export interface ConfigSource {
  /** Reads the files. @throws {ConfigError} */
  load(): Loaded;
  readonly files: readonly string[];
  /** The folder of the saved settings. Undefined if changes are saved in the project's files. */
  readonly savedDir?: string | undefined;
}

/** Returns the source of the settings of a project folder. */
export const configSourceOf = (options: Omit<LoadOptions, 'texts'>): ConfigSource => ({
  load: () => loadConfig(options),
  files: settingsFiles(options),
  savedDir: options.savedDir,
});

/** The differences between the settings in the files and the settings in effect. */
interface ConfigDifference {
  /** The settings that a reload would apply, by key. */
  readonly unapplied: readonly string[];
  readonly needsRestart: readonly NeedsRestart[];
  /** The errors in the files, each with its file and line. A reload fails until all errors are fixed. */
  readonly faults: readonly string[];
}

interface ConfigStatus extends ConfigDifference {
  /**
   * The time of the last change to the files, in milliseconds since the epoch. Undefined if the files match the
   * settings in effect.
   */
  readonly changedAtMs: number | undefined;
  /** Whether the saved settings have changed, but the project's files haven't. */
  readonly areSaved: boolean;
}

interface ConfigOrigins {
  readonly overrides: Overrides;
  /** Whether the environment variable is set, so that a setting can refer to it with `env()`. */
  hasVariable(name: string): boolean;
}

interface LastReload {
  /**
   * The time of the last successful reload, in milliseconds since the epoch. The server's start also counts as a
   * reload.
   */
  readonly succeededAtMs: number;
  readonly hasFailed: boolean;
}

export interface Configuration {
  /**
   * Reads the files and applies the changes that don't need a restart. Concurrent calls run one after another.
   * @throws {ConfigError} if the settings are invalid. Nothing is changed.
   */
  reload(): Promise<Reload>;
  status(): ConfigStatus;
  /** Returns the sources of values that come from outside the settings files. Empty if the files are invalid. */
  origins(): ConfigOrigins;
  readonly last: LastReload;
  health(): Health;
}

interface ConfigurationDeps {
  readonly source: ConfigSource;
  readonly running: () => Config;
  readonly apply: (next: Config) => Promise<Reload>;
  readonly now: () => number;
  readonly log: Logger;
}

const same: ConfigDifference = { unapplied: [], needsRestart: [], faults: [] };

export function createConfiguration(deps: ConfigurationDeps): Configuration {
  const { source, running, apply, now, log } = deps;
  let known: { readonly hash: string; readonly running: Config; readonly difference: ConfigDifference } = {
    hash: '',
    running: running(),
    difference: same,
  };
  let last: LastReload = { succeededAtMs: now(), hasFailed: false };
  const saved: readonly string[] = source.savedDir === undefined ? [] : savedFiles(source.savedDir);
  const projectFiles = source.files.filter((file) => !saved.includes(file));
  const projectHash = (): string => readFilesState(projectFiles).hash;
  /** The project's files when the settings in effect last matched all files. */
  let appliedProject = saved.length === 0 ? '' : projectHash();
  let reloading: Promise<unknown> = Promise.resolve();

  /** Parses the files only if the files or the settings in effect have changed since the last call. */
  function differenceOf({ hash }: FilesState): ConfigDifference {
    const current = running();
    if (known.hash !== hash || known.running !== current)
      known = { hash, running: current, difference: compareWith(current) };
    return known.difference;
  }

  function compareWith(current: Config): ConfigDifference {
    try {
      const { live, pending } = compareConfigs(current, source.load().config);
      return { unapplied: live, needsRestart: pending, faults: [] };
    } catch (error) {
      return { ...same, faults: faultsOf(error) };
    }
  }

  async function reloadNow(): Promise<Reload> {
    try {
      const { config, warnings } = source.load();
      for (const warning of warnings) log.warn({}, warning);
      const result = await apply(config);
      const { applied, needsRestart, problems } = result;
      last = { succeededAtMs: now(), hasFailed: false };
      log.info({ applied }, `reloaded the configuration: ${applied.length} settings changed`);
      for (const { key, reason } of needsRestart)
        log.warn({ key }, `${settingName(key)} needs a restart because ${reason}`);
      for (const problem of problems) log.error({}, problem);
      return result;
    } catch (error) {
      last = { ...last, hasFailed: true };
      for (const fault of faultsOf(error)) log.error({}, `the configuration wasn't reloaded: ${fault}`);
      throw error;
    }
  }

  const status = (): ConfigStatus => {
    const files = readFilesState(source.files);
    const difference = differenceOf(files);
    const isSame = Object.values(difference).every((list) => list.length === 0);
    const project = saved.length === 0 ? '' : projectHash();
    if (isSame) appliedProject = project;
    return {
      ...difference,
      changedAtMs: isSame ? undefined : files.changedAtMs,
      areSaved: saved.length > 0 && project === appliedProject,
    };
  };

  return {
    reload() {
      const next = reloading.catch(() => undefined).then(reloadNow);
      reloading = next;
      return next;
    },
    status,
    origins() {
      try {
        const { overrides, environment } = source.load();
        return { overrides, hasVariable: (name) => (environment[name] ?? '') !== '' };
      } catch {
        return { overrides: new Map(), hasVariable: () => false };
      }
    },
    get last() {
      return last;
    },
    health() {
      const { changedAtMs, unapplied, faults, areSaved } = status();
      if (changedAtMs === undefined) return { status: 'ok' };
      const since = new Date(changedAtMs).toISOString();
      if (faults.length > 0)
        return { status: 'degraded', message: `The settings files are invalid since ${since}.` };
      const changed = areSaved
        ? 'Settings were changed in the Console or by the management API'
        : 'Settings were changed on disk';
      return {
        status: 'degraded',
        message: `${changed} at ${since}. ${unapplied.length > 0 ? 'Reload the configuration' : 'Restart the server'} to apply them.`,
      };
    },
  };
}

/** Whether state files with these names contain saved settings. */
export const includeSettings = (names: ReadonlySet<string>): boolean =>
  [...names].some((name) => name.startsWith(`${savedFolder}/`));

/** Returns the key as it is written in the settings files. */
export const settingName = (key: string): string => key.replace(/^plinth\./, '');

const faultsOf = (error: unknown): readonly string[] =>
  error instanceof ConfigError
    ? error.faults.map(noticeText)
    : [error instanceof Error ? error.message : String(error)];

export interface Reload {
  /** The keys of the applied settings. Keys in plinth.toml start with `plinth.`. */
  readonly applied: readonly string[];
  /** The settings that differ from the running configuration and apply only after a restart. */
  readonly needsRestart: readonly NeedsRestart[];
  /** The problems found in services and certificate files. Certificate files are read again at each reload. */
  readonly problems: readonly string[];
}

/**
 * Returns a function that applies a complete configuration to the running server. Decision 49 explains which settings
 * can change at run time. Each call compares its argument with the running
 * configuration, so all processes that apply the same configuration get the same result.
 * @throws {Error} if a value can't be used. Nothing is changed.
 */
export function createReload(live: LiveConfigOwner, tls: Tls | undefined) {
  return async (next: Config): Promise<Reload> => {
    const { config, live: applied, pending } = compareConfigs(live.current, next);
    const errors = applied.length === 0 ? [] : await live.replace(config);
    return {
      applied,
      needsRestart: pending,
      problems: [...errors.map(messageOf), ...((await tls?.reload()) ?? [])],
    };
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
