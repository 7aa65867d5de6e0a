/** Changes the server's settings to match a pushed config.toml. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../base/shared/json.ts';
import {
  ConfigError,
  type LiveConfig,
  type Loaded,
  loadConfig,
  type SettingsPlace,
  setInLayer,
  setToml,
} from '../../../platform/config/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { diffLines } from '../settings/diff.ts';
import { createSettingsFiles, masked, recordedChanges } from '../settings/files.ts';
import { settingOf } from '../settings/known.ts';
import { createRunning, type RunningDeps } from '../settings/running.ts';
import { createSecretFiles, maskedSecrets, requireEffect, withSecrets } from '../settings/secrets.ts';
import { at, tableOf } from '../settings/toml.ts';
import { writeFiles } from '../settings/write-files.ts';
import { completeFields, hostedFields, settingsOfHosted } from './core/hosted-settings.ts';
import { type PushedSettings, pushedSettings } from './core/pushed-settings.ts';
import { projectRefOf } from './core/render.ts';
import { type Caller, detailOf, type Handlers, ManagementError } from './handlers.ts';

export interface ConfigDeps extends RunningDeps, SettingsPlace {
  readonly config: LiveConfig;
  readonly audit: Audit;
}

const file = 'config.toml';

/** Settings in upstream's default config.toml that apply only to the hosted service. Plinth ignores them. */
const withoutEffect = /^storage\.(?:analytics|vector)\.(?:enabled|max_\w+)$/;
const hasEffect = ({ path }: PushedSettings['changes'][number]): boolean =>
  !withoutEffect.test(path.join('.'));

export function configCalls(deps: ConfigDeps) {
  const { projectDir, savedDir, settingsLock, audit } = deps;
  const settings = createSettingsFiles(deps);
  const secretFiles = createSecretFiles(deps, settings);
  const running = createRunning(deps);

  /**
   * Returns the text of the server's file with the changes applied. Settings that aren't in the pushed file stay the
   * same.
   */
  function changedBy(changes: PushedSettings['changes']) {
    const current = settings.read(file);
    const table = settings.table(file, current.text);
    const config = configNow();
    // For a secret, the server's files contain only the name of an environment variable, so the pushed secret is
    // compared with the variable's value.
    const isStored = ({ path, value }: PushedSettings['changes'][number]) =>
      isDeepStrictEqual(at(table, path), value) ||
      (settingOf({ file, path })?.type === 'secret' && at(config, path) === value);
    const different = changes.filter((each) => !isStored(each));
    const { changes: written, edit: secrets } = secretFiles.extract(
      different.filter(hasEffect).map((each) => ({ file, ...each })),
    );
    const texts = settings.changed(written, {
      [file]: current.stamp,
      'plinth.toml': settings.read('plinth.toml').stamp,
    });
    // Also writes the settings that have no effect in Plinth, which `settings.changed` doesn't support, so that the
    // next push finds no differences.
    for (const { path, value } of different.filter((each) => !hasEffect(each)))
      texts[file] = (savedDir === undefined ? setToml : setInLayer)(texts[file] ?? current.text, path, value);
    const { warnings, environment } = loadConfig({
      projectDir,
      savedDir,
      texts: withSecrets(texts, secrets),
    });
    requireEffect(secrets, environment);
    return {
      current,
      texts,
      secrets,
      warnings,
      keys: different.map(({ path }) => path.join('.')),
      recorded: recordedChanges(settings, written, texts),
    };
  }

  const change = (changes: PushedSettings['changes'], isDryRun: boolean, caller: Caller) =>
    settingsLock.alone(async () => {
      const run = () => changeNow(changes, isDryRun);
      const { recorded, ...result } = await (isDryRun ? run() : settingsLock.store(run));
      const detail = { keys: result.keys, changes: recorded, ...detailOf(caller) };
      if (recorded !== undefined) await audit(caller, 'settings.change', file, detail);
      return result;
    });

  async function changeNow(changes: PushedSettings['changes'], isDryRun: boolean) {
    const { current, texts, secrets, warnings, keys, recorded } = changedBy(changes);
    const text = texts[file] ?? current.text;
    const diff = [
      ...diffLines(masked(current.text), masked(text)),
      ...(secrets === undefined ? [] : diffLines(...maskedSecrets(secrets))),
    ];
    const result = { diff, keys, warnings };
    if (isDryRun || keys.length === 0)
      return { ...result, recorded: undefined, applied: [], needs_restart: [], problems: [] };
    const restore = writeFiles([
      ...(secrets === undefined ? [] : [() => secretFiles.write(secrets)]),
      ...settings.writes(texts),
    ]);
    const { applied, needsRestart, problems } = await running.apply().catch((error: unknown) => {
      restore();
      throw error;
    });
    return { ...result, recorded, applied, needs_restart: needsRestart.map(({ key }) => key), problems };
  }

  /** Returns the settings as they are in the files, including changes that haven't been applied yet. */
  function configNow() {
    const config =
      deps.configuration === undefined ? deps.config.current : loadConfig({ projectDir, savedDir }).config;
    return config as unknown as Record<string, unknown>;
  }

  /**
   * Returns the settings that the caller may see. If the caller doesn't have the `secrets` permission, values from
   * environment variables are replaced with the names of the variables.
   */
  function shownTo({ operator }: Caller) {
    if (deps.configuration === undefined || may(operator.role, 'secrets')) return configNow();
    return withVariableNames(loadConfig({ projectDir, savedDir }));
  }

  return {
    pushConfig: [
      'own',
      async ({ config, dry_run: isDryRun }, caller) => {
        try {
          const { changes, skipped } = pushedSettings(tableOf(file, config));
          return { ...(await change(changes, isDryRun, caller)), skipped };
        } catch (error) {
          throw asManagementError(error);
        }
      },
    ],
    // Plinth has no paid add-ons.
    listAddons: ['read', () => ({ selected_addons: [], available_addons: [] })],
    getHostedConfig: [
      'read',
      (_input, caller) => {
        const config = shownTo(caller);
        return {
          data: {
            id: projectRefOf(deps.config.current.project_id),
            type: 'project_config',
            attributes: {
              api: hostedFields('api', config),
              auth: hostedFields('auth', config),
              storage: hostedFields('storage', config),
            },
          },
        };
      },
    ],
    getHostedService: ['read', ({ service }, caller) => completeFields(service, shownTo(caller))],
    changeHostedService: [
      'own',
      async ({ service, fields }, caller) => {
        const { changes, unsupported } = settingsOfHosted(service, fields);
        if (unsupported.length > 0)
          throw new ManagementError(
            400,
            `These settings can't be changed in the hosted format: ${unsupported.join(', ')}. ` +
              `The settings in [${service}] were not changed. Run "plinth config push" instead.`,
          );
        try {
          await change(changes, false, caller);
        } catch (error) {
          throw asManagementError(error);
        }
        return completeFields(service, configNow());
      },
    ],
  } satisfies Partial<Handlers>;
}

function asManagementError(error: unknown): unknown {
  if (error instanceof ConfigError)
    return new ManagementError(400, error.faults.map(({ key, message }) => `${key}: ${message}`).join('\n'));
  if (!(error instanceof ConsoleError)) return error;
  const { hint } = error.fields;
  return new ManagementError(error.status, hint === undefined ? error.message : `${error.message} ${hint}`);
}

type Config = Readonly<Record<string, unknown>>;

/**
 * Returns a copy of the settings in which texts from environment variables are replaced with the names of the variables,
 * because the texts can be secrets. Numbers and Boolean values aren't replaced.
 *
 * @example
 * // config.toml: site_url = "env(SITE)"
 * withVariableNames(loadConfig({ projectDir })).auth.site_url; // "env(SITE)"
 */
function withVariableNames({
  config,
  overrides,
  references,
}: Pick<Loaded, 'config' | 'overrides' | 'references'>): Config {
  const copy: Config = structuredClone(config) as unknown as Config;
  for (const [key, text] of references) replaceText(copy, key.split('.'), text);
  for (const [key, variable] of overrides)
    if (variable !== null) replaceText(copy, key.split('.'), `env(${variable})`);
  return copy;
}

function replaceText(config: unknown, path: readonly string[], text: string | readonly string[]): void {
  const name = path.at(-1) ?? '';
  const table = path
    .slice(0, -1)
    .reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), config);
  if (!isRecord(table)) return;
  const value = table[name];
  if (typeof value === 'string') table[name] = text;
  else if (Array.isArray(value)) table[name] = [text].flat();
}
