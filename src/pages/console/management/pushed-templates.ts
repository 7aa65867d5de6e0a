/** Compares pushed email templates with the server's template files, and determines the files to write. */

import { diffLines } from '../../../base/shared/diff-lines.ts';
import { templateSizeFault } from '../../../base/shared/template-limits.ts';
import { type Config, shownIn } from '../../../platform/config/index.ts';
import { hiddenChange, type RecordedChange } from '../core/changed-values.ts';
import type { DiffLine } from '../settings/contract.ts';
import type { Change } from '../settings/files.ts';
import {
  createTemplateFiles,
  emailsIn,
  isEditable,
  pathSetting,
  type TemplateEdit,
  type TemplateFile,
  type TemplateFilesDeps,
} from '../settings/template-files.ts';
import { at, type Table } from '../settings/toml.ts';
import { stampOf, type WriteFile } from '../settings/write-files.ts';
import type { PushedTemplate } from './core/pushed-settings.ts';
import { ManagementError } from './handlers.ts';

/** The templates that differ from those of the server. */
export interface TemplateChanges {
  readonly edits: readonly TemplateEdit[];
  /** The changes to paths in config.toml. */
  readonly paths: readonly Change[];
  /** The keys of all settings whose template changes. */
  readonly keys: readonly string[];
}

export interface PushedTemplates {
  /**
   * Returns the templates that differ from those of the server.
   *
   * @param table the values in the server's config.toml
   * @throws {ManagementError} if an email doesn't exist or a template is too large
   */
  changes(templates: readonly PushedTemplate[], config: Config, table: Table): TemplateChanges;
  /**
   * Validates changed templates and returns the files to write.
   *
   * @param read the configuration in which the templates were compared
   * @param config the configuration with the changed paths
   * @throws {ConsoleError}
   */
  files(changes: TemplateChanges, read: Config, config: Config): Promise<readonly TemplateFile[]>;
  /** Returns the configuration, and the HTML of each email's template as the setting `content`. */
  withContents<Settings extends object>(settings: Settings, config: Config): Settings;
  /** Returns the path of each file, followed by its changed lines. */
  lines(files: readonly TemplateFile[]): (DiffLine | { readonly kind: 'file'; readonly text: string })[];
  recorded(files: readonly TemplateFile[]): RecordedChange[];
  /** Returns the paths of the files as shown to operators. */
  names(files: readonly TemplateFile[]): string[];
  writes(files: readonly TemplateFile[]): WriteFile[];
}

export function createPushedTemplates(deps: TemplateFilesDeps): PushedTemplates {
  const templateFiles = createTemplateFiles(deps);
  const shown = shownIn(deps.projectDir);

  return {
    changes(templates, config, table) {
      const edits: TemplateEdit[] = [];
      const removed: Change[] = [];
      for (const { name, html } of templates) {
        const path = pathSetting(name);
        const key = path.join('.');
        if (!isEditable(name)) throw new ManagementError(400, `${key}: the setting doesn't exist`);
        const fault = templateSizeFault(html);
        if (fault !== undefined) throw new ManagementError(400, `${key}: the template ${fault}`);
        const current = templateFiles.current(name, config);
        if (html === '') {
          if (at(table, path)) removed.push({ file: 'config.toml', path, value: null });
        } else if (html !== current) edits.push({ name, html, stamp: stampOf(current) });
      }
      return {
        edits,
        paths: [...removed, ...templateFiles.missingPaths(edits, config)],
        keys: [...removed.map(({ path }) => path), ...edits.map(({ name }) => pathSetting(name))].map(
          (path) => path.join('.'),
        ),
      };
    },
    async files({ edits }, read, config) {
      const files = await templateFiles.check(edits, read, config);
      // Emails with the same text can share a file.
      return [...new Map(files.map((file) => [file.path, file])).values()];
    },
    withContents(settings, config) {
      const copy = structuredClone(settings);
      for (const name of emailsIn(config)) {
        const table = at(copy as Table, pathSetting(name).slice(0, -1)) as { content?: string };
        const html = templateFiles.current(name, config);
        if (html !== undefined) table.content = html;
      }
      return copy;
    },
    lines: (files) =>
      files.flatMap(({ path, before, html }) => [
        { kind: 'file' as const, text: shown(path) },
        ...diffLines(before, html),
      ]),
    recorded: (files) => files.map(({ path, before }) => hiddenChange(shown(path), before !== '', true)),
    names: (files) => files.map(({ path }) => shown(path)),
    writes: templateFiles.writes,
  };
}
