/** Reads and writes custom email templates. */
import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { isWithin } from '../../../base/kernel/real-path.ts';
import {
  type Config,
  type SettingsPlace,
  savedPrefix,
  savedTemplates,
} from '../../../platform/config/index.ts';
import type { MessagePreviews } from '../../../services/auth/index.ts';
import { ConsoleError } from '../errors.ts';
import type { Change } from './files.ts';
import { settingOf } from './known.ts';
import { fileWrite, readIfFile, stampOf, type WriteFile } from './write-files.ts';

export interface TemplateEdit {
  readonly name: string;
  readonly html: string;
  /** Identifies the version of the file that was edited. Empty if the file didn't exist. */
  readonly stamp: string;
}

export interface TemplateFile {
  readonly path: string;
  readonly before: string;
  readonly html: string;
}

export interface TemplateFiles {
  /** Returns the text of the email's template file. Undefined if the email has no such file. */
  current(name: string, config: Config): string | undefined;
  /**
   * For each edited template that doesn't have a file in which it can be saved, or that shares the file with an email
   * that keeps another text, returns a change that sets the template's path.
   */
  missingPaths(edits: readonly TemplateEdit[], config: Config): Change[];
  /**
   * Validates edits of templates and returns the files to write.
   *
   * @param read the configuration with the paths of the templates that were edited
   * @param config the configuration with the changes of {@link missingPaths}
   * @throws {ConsoleError} bad_request, conflict
   */
  check(edits: readonly TemplateEdit[], read: Config, config: Config): Promise<TemplateFile[]>;
  writes(files: readonly TemplateFile[]): WriteFile[];
}

/** The allowed extensions of template files, which prevent a template from replacing a settings file or a migration. */
const extensions = new Set(['.html', '.htm', '.tmpl', '.gohtml']);

/** Returns the path of the setting that contains the path to a template's file. */
export function pathSetting(name: string): string[] {
  const notice = name.replace(/_notification$/, '');
  return ['auth', 'email', name === notice ? 'template' : 'notification', notice, 'content_path'];
}

/** Whether config.toml can contain settings for this email. */
export const isEditable = (name: string): boolean =>
  settingOf({ file: 'config.toml', path: pathSetting(name) }) !== undefined;

/** Returns the names of all emails for which config.toml can contain settings. */
export const emailsIn = ({ auth: { email } }: Config): string[] => [
  ...Object.keys(email.template),
  ...Object.keys(email.notification).map((name) => `${name}_notification`),
];

/**
 * Returns an unused path for a new template file. If an existing file has the default name, for example after the
 * setting was reverted, the new file's name gets a number.
 */
function freePath(projectDir: string, base: string): string {
  let path = `${base}.html`;
  for (let number = 2; existsSync(resolve(projectDir, path)); number++) path = `${base}-${number}.html`;
  return path;
}

export interface TemplateFilesDeps extends SettingsPlace {
  readonly messagePreviews: MessagePreviews;
}

export function createTemplateFiles({
  projectDir,
  savedDir,
  messagePreviews,
}: TemplateFilesDeps): TemplateFiles {
  function fileOf(name: string, { auth }: Config): string | undefined {
    if (!isEditable(name)) throw new ConsoleError('not_found', { message: "This email can't be changed." });
    const [, , kind, key = ''] = pathSetting(name);
    const tables: Readonly<Record<string, { content_path?: string | undefined } | undefined>> =
      kind === 'template' ? auth.email.template : auth.email.notification;
    const path = tables[key]?.content_path;
    return path === undefined ? undefined : resolve(projectDir, path);
  }

  /** With a layer, edited templates of the project are saved in the layer. */
  const canBeSaved = (path: string | undefined): boolean =>
    path !== undefined && (savedDir === undefined || isWithin(savedTemplates(savedDir), path));

  /** Whether another email uses the same file, and wouldn't have the same text after the edits. */
  function isShared({ name, html }: TemplateEdit, edits: readonly TemplateEdit[], config: Config): boolean {
    const path = fileOf(name, config);
    return emailsIn(config).some(
      (other) =>
        other !== name &&
        fileOf(other, config) === path &&
        edits.find((edit) => edit.name === other)?.html !== html,
    );
  }

  return {
    current(name, config) {
      const path = fileOf(name, config);
      return path === undefined ? undefined : readIfFile(path);
    },
    missingPaths: (edits, config) =>
      edits
        .filter((edit) => !canBeSaved(fileOf(edit.name, config)) || isShared(edit, edits, config))
        .map(({ name }) => ({
          file: 'config.toml',
          path: pathSetting(name),
          value:
            savedDir === undefined
              ? freePath(projectDir, `./supabase/templates/${name}`)
              : `${savedPrefix}${name}.html`,
        })),
    async check(edits, read, config) {
      const files: TemplateFile[] = [];
      for (const { name, html, stamp } of edits) {
        const source = fileOf(name, read);
        const before = source === undefined ? undefined : readIfFile(source);
        const path = fileOf(name, config) ?? projectDir;
        if (!extensions.has(extname(path).toLowerCase()))
          throw new ConsoleError('bad_request', {
            message: `${path} doesn't end with .html, so it can't be changed here.`,
            hint: 'Edit the file manually, or choose another file.',
          });
        if (stampOf(before) !== stamp)
          throw new ConsoleError('conflict', {
            message: `${source ?? path} was changed by another process. Reload the page.`,
          });
        const fault = (await messagePreviews.mail(name, { html }))?.fault;
        if (fault !== undefined)
          throw new ConsoleError('bad_request', { message: `The template is invalid: ${fault}` });
        files.push({ path, html, before: before ?? '' });
      }
      return files;
    },
    writes: (files) =>
      files.map(({ path, html }) => fileWrite(path, html, savedDir === undefined ? 0o644 : 0o600)),
  };
}
