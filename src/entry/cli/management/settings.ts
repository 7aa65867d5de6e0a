/** The settings of a project that commands push to a server. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../platform/config/index.ts';
import { readTemplates } from './templates.ts';

/** The texts of the settings files, which are empty for files that don't exist, and of the email templates. */
export interface SettingsTexts {
  readonly config: string;
  readonly plinth: string;
  /** The HTML by the name of the email. */
  readonly templates: Readonly<Record<string, string>>;
}

/** The server's response to a push or to a dry run of a push. */
export interface PushedSettings {
  readonly diff: readonly {
    readonly kind: 'file' | 'same' | 'added' | 'removed' | 'gap';
    readonly text: string;
  }[];
  readonly keys: readonly string[];
  readonly skipped: readonly string[];
  readonly applied: readonly string[];
  readonly needs_restart: readonly string[];
  readonly problems: readonly string[];
}

/** @throws {CommandError} if an email template can't be pushed */
export function readSettings(projectDir: string, config: Config): SettingsTexts {
  const read = (name: string): string => {
    const path = join(projectDir, 'supabase', name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  return {
    config: read('config.toml'),
    plinth: read('plinth.toml'),
    templates: readTemplates(config, projectDir),
  };
}

const signs = { same: ' ', added: '+', removed: '-', gap: '…' } as const;

/** Lines of email templates can contain a whole image. */
const maxLineLength = 200;
const shortened = (text: string): string =>
  text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;

/** Returns the lines of a difference, each with a sign. */
export const settingsLines = (diff: PushedSettings['diff']): string[] =>
  diff.map(({ kind, text }) => (kind === 'file' ? text : `${signs[kind]} ${shortened(text)}`.trimEnd()));

/** Returns what the server did with the pushed settings. */
export const resultLines = ({ applied, needs_restart: needsRestart, problems }: PushedSettings): string[] => [
  ...(applied.length > 0 ? [`Applied: ${applied.join(', ')}`] : []),
  ...(needsRestart.length > 0 ? [`Applied at the next start: ${needsRestart.join(', ')}`] : []),
  ...problems,
];
