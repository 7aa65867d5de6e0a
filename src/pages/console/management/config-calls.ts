/** Changes the server's settings to match a pushed config.toml and plinth.toml. */

import { isRecord } from '../../../base/shared/json.ts';
import { projectRefOf } from '../../../base/shared/project-ref.ts';
import {
  ConfigError,
  type Loaded,
  loadConfig,
  noticeText,
  type SettingsFile,
} from '../../../platform/config/index.ts';
import { may } from '../core/roles.ts';
import { tableOf } from '../settings/toml.ts';
import { completeFields, hostedFields, settingsOfHosted } from './core/hosted-settings.ts';
import { forProject, type PushedSettings, pushedSettings } from './core/pushed-settings.ts';
import { asManagementError, type Caller, type Handlers, ManagementError } from './handlers.ts';
import { createPushedTemplates } from './pushed-templates.ts';
import {
  bothFiles,
  configInFiles,
  createSettingsChange,
  type FileSetting,
  type Pushed,
  type SettingsChangeDeps,
} from './settings-change.ts';

const inConfig = (changes: PushedSettings['changes']): FileSetting[] =>
  changes.map((change) => ({ file: 'config.toml', ...change }));

export function configCalls(deps: SettingsChangeDeps) {
  const { projectDir, savedDir } = deps;
  const pushedTemplates = createPushedTemplates(deps);
  const change = createSettingsChange(deps, pushedTemplates);

  /**
   * Returns the settings that the caller may see. If the caller doesn't have the `secrets` permission, values from
   * environment variables are replaced with the names of the variables.
   */
  function shownTo({ operator }: Caller): Settings {
    if (deps.configuration === undefined || may(operator.role, 'secrets')) return settingsNow();
    const loaded = loadConfig({ projectDir, savedDir });
    return pushedTemplates.withContents(withVariableNames(loaded), loaded.config);
  }

  /** Returns all settings and the HTML of the email templates. */
  function settingsNow(): Settings {
    const config = configInFiles(deps);
    return pushedTemplates.withContents(config as unknown as Settings, config);
  }

  /** Returns the settings that the caller may see. @throws {ManagementError} if the server's files are invalid */
  function readFor(caller: Caller): Settings {
    try {
      return shownTo(caller);
    } catch (error) {
      throw error instanceof ConfigError ? invalidFiles(error, caller) : error;
    }
  }

  return {
    pushConfig: [
      'own',
      async ({ config, plinth, templates, dry_run: isDryRun }, caller) => {
        try {
          const ref = projectRefOf(deps.config.current.project_id);
          const texts = { 'config.toml': config, 'plinth.toml': plinth };
          const { skipped, ...pushed } = settingsOfFiles(texts, templates, ref);
          return { ...(await change(pushed, isDryRun, caller)), skipped };
        } catch (error) {
          throw asSettingsError(error);
        }
      },
    ],
    // Plinth has no paid add-ons.
    listAddons: ['read', () => ({ selected_addons: [], available_addons: [] })],
    getHostedConfig: [
      'read',
      (_input, caller) => {
        const config = readFor(caller);
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
    getHostedService: ['read', ({ service }, caller) => completeFields(service, readFor(caller))],
    changeHostedService: [
      'own',
      async ({ service, fields }, caller) => {
        const { changes, templates, unsupported } = settingsOfHosted(service, fields);
        if (unsupported.length > 0)
          throw new ManagementError(
            400,
            `These settings can't be changed in the hosted format: ${unsupported.join(', ')}. ` +
              `The settings in [${service}] were not changed. Run "plinth config push" instead.`,
          );
        try {
          await change({ changes: inConfig(changes), templates }, false, caller);
        } catch (error) {
          throw asSettingsError(error);
        }
        return completeFields(service, settingsNow());
      },
    ],
  } satisfies Partial<Handlers>;
}

/** Returns the settings in pushed files that apply to the project with this ref. @throws {ConsoleError} */
function settingsOfFiles(
  texts: Readonly<Record<SettingsFile, string>>,
  html: Readonly<Record<string, string>>,
  ref: string,
): Pushed & { readonly skipped: readonly string[] } {
  const pushed = bothFiles.map((file) => {
    const table = tableOf(file, texts[file]);
    return { file, ...pushedSettings(file, file === 'config.toml' ? forProject(table, ref) : table, html) };
  });
  return {
    changes: pushed.flatMap(({ file, changes }) => changes.map((each) => ({ file, ...each }))),
    templates: pushed.flatMap(({ templates }) => templates),
    skipped: pushed.flatMap(({ skipped }) => skipped),
  };
}

/** Converts the errors of invalid settings to errors of the Management API. */
function asSettingsError(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return asManagementError(error);
  return new ManagementError(400, error.faults.map(({ key, message }) => `${key}: ${message}`).join('\n'));
}

/**
 * The error for invalid settings in the server's files. Names the file and the line of each error. The rest of the text
 * can contain the value of an environment variable, so it is only for callers with the `secrets` permission.
 */
function invalidFiles({ faults }: ConfigError, { operator }: Caller): ManagementError {
  const lines = faults.map((fault) =>
    noticeText(may(operator.role, 'secrets') ? fault : { ...fault, message: 'Invalid' }),
  );
  return new ManagementError(
    409,
    `The server's settings can't be read. Correct them on the server:\n${lines.join('\n')}`,
  );
}

type Settings = Readonly<Record<string, unknown>>;

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
}: Pick<Loaded, 'config' | 'overrides' | 'references'>): Settings {
  const copy = structuredClone(config) as unknown as Settings;
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
