/** Changes settings and email templates in the server's files, and applies them. */

import { isDeepStrictEqual } from 'node:util';
import { diffLines } from '../../../base/shared/diff-lines.ts';
import {
  type Config,
  type LiveConfig,
  loadConfig,
  type SettingsFile,
  setInLayer,
  setToml,
} from '../../../platform/config/index.ts';
import type { Audit } from '../audit.ts';
import type { DiffLine } from '../settings/contract.ts';
import { createSettingsFiles, masked, recordedChanges } from '../settings/files.ts';
import { settingOf } from '../settings/known.ts';
import { createRunning, type RunningDeps } from '../settings/running.ts';
import {
  createSecretFiles,
  maskedSecrets,
  requireEffect,
  secretsFile,
  withSecrets,
} from '../settings/secrets.ts';
import type { TemplateFilesDeps } from '../settings/template-files.ts';
import { at, type Table } from '../settings/toml.ts';
import { writeFiles } from '../settings/write-files.ts';
import type { PushedSetting, PushedTemplate } from './core/pushed-settings.ts';
import { type Caller, detailOf } from './handlers.ts';
import type { PushedTemplates } from './pushed-templates.ts';

export interface SettingsChangeDeps extends RunningDeps, TemplateFilesDeps {
  readonly config: LiveConfig;
  readonly audit: Audit;
}

/** A setting in one of the two files. */
export interface FileSetting extends PushedSetting {
  readonly file: SettingsFile;
}

/** The settings and email templates to which the server's are changed. */
export interface Pushed {
  readonly changes: readonly FileSetting[];
  readonly templates: readonly PushedTemplate[];
}

/** A line of the difference, or the name of the file to which the next lines belong. */
type PushedLine = DiffLine | { readonly kind: 'file'; readonly text: string };

export const bothFiles = ['config.toml', 'plinth.toml'] as const;

/** Settings in upstream's default config.toml that apply only to the hosted service. Plinth ignores them. */
const withoutEffect = /^storage\.(?:analytics|vector)\.(?:enabled|max_\w+)$/;
const hasEffect = ({ file, path }: FileSetting): boolean =>
  file !== 'config.toml' || !withoutEffect.test(path.join('.'));

/** Returns the settings as they are in the files, including changes that haven't been applied yet. */
export const configInFiles = ({ projectDir, savedDir, configuration, config }: SettingsChangeDeps): Config =>
  configuration === undefined ? config.current : loadConfig({ projectDir, savedDir }).config;

/** Returns a function that changes the settings, or only shows the difference. */
export function createSettingsChange(deps: SettingsChangeDeps, pushedTemplates: PushedTemplates) {
  const { projectDir, savedDir, settingsLock, audit } = deps;
  const settings = createSettingsFiles(deps);
  const secretFiles = createSecretFiles(deps, settings);
  const running = createRunning(deps);
  const edit = savedDir === undefined ? setToml : setInLayer;

  /**
   * Returns the texts of the server's files with the changes applied. Settings that aren't in the pushed files stay the
   * same.
   */
  async function changedBy({ changes, templates }: Pushed) {
    const read = (file: SettingsFile) => {
      const current = settings.read(file);
      return { ...current, table: settings.table(file, current.text) };
    };
    const current = { 'config.toml': read('config.toml'), 'plinth.toml': read('plinth.toml') } as const;
    const config = configInFiles(deps);
    // For a secret, the server's files contain only the name of an environment variable, so the pushed secret is
    // compared with the variable's value.
    const isStored = ({ file, path, value }: FileSetting) =>
      isDeepStrictEqual(at(current[file].table, path), value) ||
      (settingOf({ file, path })?.type === 'secret' &&
        at(config as unknown as Table, file === 'plinth.toml' ? ['plinth', ...path] : path) === value);
    const different = changes.filter((each) => !isStored(each));
    const templateChanges = pushedTemplates.changes(templates, config, current['config.toml'].table);
    const { changes: written, edit: secrets } = secretFiles.extract([
      ...different.filter(hasEffect),
      ...templateChanges.paths,
    ]);
    const texts = settings.changed(written, {
      'config.toml': current['config.toml'].stamp,
      'plinth.toml': current['plinth.toml'].stamp,
    });
    // Also writes the settings that have no effect in Plinth, which `settings.changed` doesn't support, so that the
    // next push finds no differences.
    for (const { file, path, value } of different.filter((each) => !hasEffect(each)))
      texts[file] = edit(texts[file] ?? current[file].text, path, value);
    const loaded = loadConfig({ projectDir, savedDir, texts: withSecrets(texts, secrets) });
    requireEffect(secrets, loaded.environment);
    const templateFiles = await pushedTemplates.files(templateChanges, config, loaded.config);
    return {
      diff: [
        ...differenceOf(
          bothFiles.map((file) => [file, current[file].text, texts[file] ?? current[file].text]),
          secrets === undefined ? undefined : maskedSecrets(secrets),
        ),
        ...pushedTemplates.lines(templateFiles),
      ],
      texts,
      secrets,
      templateFiles,
      // A template file that is only written now didn't exist when the settings were checked.
      warnings: loaded.warnings.filter((text) => !templateFiles.some(({ path }) => text.includes(path))),
      files: [...Object.keys(texts), ...pushedTemplates.names(templateFiles)],
      keys: [...different.map(({ path }) => path.join('.')), ...templateChanges.keys],
      templateKeys: templateChanges.keys,
      recorded: [...recordedChanges(settings, written, texts), ...pushedTemplates.recorded(templateFiles)],
    };
  }

  async function changeNow(pushed: Pushed, isDryRun: boolean) {
    const { diff, texts, secrets, templateFiles, warnings, files, keys, templateKeys, recorded } =
      await changedBy(pushed);
    const result = { diff, keys, files, warnings };
    if (isDryRun || keys.length === 0)
      return { ...result, recorded: undefined, applied: [], needs_restart: [], problems: [] };
    const restore = writeFiles([
      ...(secrets === undefined ? [] : [() => secretFiles.write(secrets)]),
      ...pushedTemplates.writes(templateFiles),
      ...settings.writes(texts),
    ]);
    const { applied, needsRestart, problems } = await running.apply().catch((error: unknown) => {
      restore();
      throw error;
    });
    return {
      ...result,
      recorded,
      // Emails use a changed file immediately, even if no setting has changed.
      applied: [...new Set([...applied, ...templateKeys])],
      needs_restart: needsRestart.map(({ key }) => key),
      problems,
    };
  }

  return (pushed: Pushed, isDryRun: boolean, caller: Caller) =>
    settingsLock.alone(async () => {
      const run = () => changeNow(pushed, isDryRun);
      const { recorded, files, ...result } = await (isDryRun ? run() : settingsLock.store(run));
      const detail = { keys: result.keys, changes: recorded, ...detailOf(caller) };
      if (recorded !== undefined) await audit(caller, 'settings.change', files.join(', '), detail);
      return result;
    });
}

/** Returns the changed lines of each file. Values that can be secrets are masked. */
function differenceOf(
  files: readonly (readonly [file: SettingsFile, before: string, after: string])[],
  secrets: readonly [before: string, after: string] | undefined,
): PushedLine[] {
  const parts = files.map(([file, before, after]) => [file, masked(before), masked(after)] as const);
  return [...parts, ...(secrets === undefined ? [] : [[secretsFile, ...secrets] as const])]
    .filter(([, before, after]) => before !== after)
    .flatMap(([file, before, after]) => [{ kind: 'file' as const, text: file }, ...diffLines(before, after)]);
}
