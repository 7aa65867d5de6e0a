/**
 * Validates changes to settings and email templates, and writes them to the project's files or to the layer of saved
 * settings.
 */
import { join } from 'node:path';
import { diffLines } from '../../../base/shared/diff-lines.ts';
import { ConfigError, loadConfig, type SettingsPlace, shownIn } from '../../../platform/config/index.ts';
import type { MessagePreviews } from '../../../services/auth/index.ts';
import { hiddenChange, type RecordedChange } from '../core/changed-values.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Operator } from '../sessions.ts';
import type { SettingFault, Settings, SettingsFile, SettingsPreview } from './contract.ts';
import {
  type Change,
  createSettingsFiles,
  folderOf,
  masked,
  recordedChanges,
  type SettingsFiles,
} from './files.ts';
import { settingOf } from './known.ts';
import {
  createSecretFiles,
  maskedSecrets,
  requireEffect,
  type SecretsEdit,
  secretsFile,
  withSecrets,
} from './secrets.ts';
import { createTemplateFiles, type TemplateEdit, type TemplateFile } from './template-files.ts';
import { writeFiles } from './write-files.ts';

export interface ChangesDeps extends SettingsPlace {
  readonly messagePreviews: MessagePreviews;
}

export interface Edit {
  readonly changes: readonly Change[];
  readonly templates: readonly TemplateEdit[];
  readonly stamps: Settings['stamps'];
}

/** The result of validating an edit without errors. */
export interface CheckedEdit {
  readonly changes: readonly Change[];
  readonly keys: readonly string[];
  /** The paths to the changed files, as shown to operators. */
  readonly fileNames: readonly string[];
  /** The new text of each changed settings file. */
  readonly texts: Readonly<Record<string, string>>;
  readonly templates: readonly TemplateFile[];
  /** The change to the `.env` file if secrets were entered or removed. */
  readonly secrets: SecretsEdit | undefined;
  readonly warnings: readonly string[];
}

export interface SettingChanges {
  readonly files: SettingsFiles;
  /** Returns the errors in the configuration that would result from the changes. */
  faults(operator: Operator, changes: readonly Change[]): SettingFault[];
  /** Validates an edit. @throws {ConsoleError} bad_request, conflict, forbidden */
  check(operator: Operator, edit: Edit): Promise<CheckedEdit>;
  diffs(edit: CheckedEdit): SettingsPreview['diffs'];
  /**
   * Returns the old and new values of the changed settings for the audit log. Call this function before the files are
   * written.
   */
  recorded(edit: CheckedEdit): RecordedChange[];
  /** Writes either all files or none. Returns a function that restores the files. @throws {ConsoleError} refused */
  write(edit: CheckedEdit): () => void;
}

/** Returns the reason why developers may not make this change, or undefined if they may. */
function developerFault(change: Change): string | undefined {
  const key = change.path.join('.');
  const setting = settingOf(change);
  if (setting?.changedBy !== 'developer' || setting.type === 'secret')
    return `Only owners can change ${key}.`;
  // References to environment variables are rejected, because they would copy the variable's value into a setting,
  // where it might become visible.
  return [change.value].flat().some((value) => String(value).includes('env('))
    ? `Only owners can use environment variables in settings. Enter the value of ${key} directly.`
    : undefined;
}

/** Whether an edit needs a recent sign-in. Only the settings that don't weaken any protection need none. */
export const needsFreshSignIn = ({ changes, templates }: Pick<Edit, 'changes' | 'templates'>): boolean =>
  templates.length > 0 || changes.some((change) => settingOf(change)?.needsFreshSignIn ?? true);

export function createSettingChanges(deps: ChangesDeps): SettingChanges {
  const { projectDir, savedDir } = deps;
  const files = createSettingsFiles(deps);
  const secretFiles = createSecretFiles(deps, files);
  const templateFiles = createTemplateFiles(deps);

  const shown = shownIn(projectDir);
  const settingsPath = (file: string): string => shown(join(folderOf(deps), file));

  function requireAllowed(operator: Operator, { changes, templates }: Edit): void {
    if (may(operator.role, 'own')) return;
    if (templates.length > 0)
      throw new ConsoleError('forbidden', { message: 'Only owners can change template files.' });
    for (const change of changes) {
      if (settingOf(change) === undefined)
        throw new ConsoleError('bad_request', {
          message: `The setting ${change.path.join('.')} doesn't exist.`,
        });
      const message = developerFault(change);
      if (message !== undefined) throw new ConsoleError('forbidden', { message });
    }
  }

  function loaded(texts: Readonly<Record<string, string>>) {
    try {
      return loadConfig({ projectDir, savedDir, texts });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // The message lists all errors in the resulting configuration.
      throw new ConsoleError('bad_request', {
        message: error.faults.map(({ key, message }) => `${key}: ${message}`).join('\n'),
      });
    }
  }

  return {
    files,
    faults(operator, changes) {
      const isOwner = may(operator.role, 'own');
      const forbidden = isOwner
        ? []
        : changes.flatMap((change) => {
            const message = developerFault(change);
            return message === undefined ? [] : [{ key: change.path.join('.'), message }];
          });
      if (forbidden.length > 0) return forbidden;
      const secrets = secretFiles.extract(changes);
      const { texts, faults } = files.tried(secrets.changes);
      try {
        loadConfig({ projectDir, savedDir, texts: withSecrets(texts, secrets.edit) });
        return faults;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        // If a setting can't be written, an error has already been reported, so other errors about the same setting are
        // omitted.
        const others = error.faults.filter(({ key }) => !faults.some((fault) => fault.key === key));
        return [...faults, ...others.map(({ key, message }) => ({ key, message }))];
      }
    },
    async check(operator, edit) {
      requireAllowed(operator, edit);
      const secrets = secretFiles.extract(edit.changes);
      let changes: readonly Change[] = secrets.changes;
      let texts = files.changed(changes, edit.stamps);
      let { config, warnings, environment } = loaded(withSecrets(texts, secrets.edit));
      requireEffect(secrets.edit, environment);
      const read = config;
      const missing = templateFiles.missingPaths(edit.templates, config);
      if (missing.length > 0) {
        changes = [...changes, ...missing];
        texts = files.changed(changes, edit.stamps);
        ({ config, warnings, environment } = loaded(withSecrets(texts, secrets.edit)));
      }
      const templates = await templateFiles.check(edit.templates, read, config);
      const written = new Set(templates.map(({ path }) => path));
      return {
        changes,
        keys: changes.map(({ path }) => path.join('.')),
        fileNames: [
          ...Object.keys(withSecrets(texts, secrets.edit)).map(settingsPath),
          ...templates.map(({ path }) => shown(path)),
        ],
        texts,
        templates,
        secrets: secrets.edit,
        // If a template is written together with the setting for its path, the template file doesn't exist yet when the
        // configuration is checked.
        warnings: warnings.filter((warning) => ![...written].some((path) => warning.includes(path))),
      };
    },
    diffs: ({ texts, templates, secrets }) => [
      ...(secrets === undefined
        ? []
        : [{ file: settingsPath(secretsFile), lines: diffLines(...maskedSecrets(secrets)) }]),
      ...Object.entries(texts).map(([file, text]) => ({
        file: settingsPath(file),
        lines: diffLines(masked(files.read(file as SettingsFile).text), masked(text)),
      })),
      ...templates.map(({ path, before, html }) => ({
        file: shown(path),
        lines: diffLines(before, html),
      })),
    ],
    recorded: ({ changes, texts, templates }) => [
      ...recordedChanges(files, changes, texts),
      ...templates.map(({ path, before }) => hiddenChange(shown(path), before !== '', true)),
    ],
    // The settings files are written last, because they refer to the other files.
    write: ({ texts, templates, secrets }) =>
      writeFiles([
        ...(secrets === undefined ? [] : [() => secretFiles.write(secrets)]),
        ...templateFiles.writes(templates),
        ...files.writes(texts),
      ]),
  };
}
