/** Reads the email templates that commands push to a server. */
import { readFileSync, statSync } from 'node:fs';
import { maxTemplateFileBytes, templateSizeFault } from '../../../base/shared/template-limits.ts';
import { type Config, shownIn } from '../../../platform/config/index.ts';
import { CommandError } from '../errors.ts';

/**
 * Returns the HTML of each template to which a `content_path` refers, by the name of the email. The configuration only
 * contains paths in the project folder. Notifications that are turned off are skipped.
 * @throws {CommandError} if a file is missing, empty or too large
 */
export function readTemplates({ auth: { email } }: Config, projectDir: string): Record<string, string> {
  const shown = shownIn(projectDir);
  const read = (key: string, path: string): string => {
    const setting = `${key}.content_path: ${shown(path)}`;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true)
      throw new CommandError(
        `${setting} ${stats === undefined ? "doesn't exist" : "isn't a file"}.`,
        'Create the file, or remove the setting.',
      );
    const html = stats.size > maxTemplateFileBytes ? undefined : readFileSync(path, 'utf8');
    const fault = html === undefined ? 'is too large for an email' : templateSizeFault(html);
    if (fault !== undefined) throw new CommandError(`${setting} ${fault}.`);
    if (html === '' || html === undefined)
      throw new CommandError(
        `${setting} is empty.`,
        'To restore the default text, set content_path to an empty string.',
      );
    return html;
  };
  const templates: Record<string, string> = {};
  for (const [name, { content_path: path }] of Object.entries(email.template))
    if (path !== undefined) templates[name] = read(`auth.email.template.${name}`, path);
  for (const [name, { content_path: path, enabled }] of Object.entries(email.notification))
    if (path !== undefined && enabled)
      templates[`${name}_notification`] = read(`auth.email.notification.${name}`, path);
  return templates;
}
