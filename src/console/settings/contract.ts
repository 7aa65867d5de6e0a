import { z } from 'zod';
import type { NamesFacts, SectionFacts, SettingFacts, SettingsFile } from '../../config/index.ts';
import { json, noContent, type RouteTable, raw } from '../core/contract.ts';

const value = z.union([
  z.string().max(10_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(2000)).max(200),
]);

const changes = z.object({
  changes: z
    .array(
      z.object({
        file: z.enum(['config.toml', 'plinth.toml']),
        path: z.array(z.string().min(1).max(100)).min(1).max(8),
        value: value.nullable(),
      }),
    )
    .min(1)
    .max(200),
  stamps: z.object({ 'config.toml': z.string(), 'plinth.toml': z.string() }),
});
const testMail = z.object({ to: z.email(), template: z.string().min(1).max(100) });
const testText = z.object({
  to: z.string().regex(/^\+?[1-9][0-9 ]{1,18}$/, 'must be a phone number with a country code'),
});

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

export type { SettingFacts, SettingsFile };
export type SettingValue = string | number | boolean | readonly string[];

export interface Setting extends SettingFacts {
  /** The value in the file. Null if the file doesn't contain a value, or if the value is a secret. */
  readonly value: SettingValue | null;
  readonly isSet: boolean;
}

export interface Section extends Omit<SectionFacts, 'settings'> {
  readonly settings: readonly Setting[];
  /** How to add a name, if the user chooses the keys of this table. */
  readonly names?: NewNames | undefined;
}

/** Describes how a name is added to a table whose keys the user chooses. */
export interface NewNames extends Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> {
  /** The settings that a new name has. In their paths, `*` stands for the name. */
  readonly settings: readonly SettingFacts[];
}

export interface Settings {
  readonly stamps: Readonly<Record<SettingsFile, string>>;
  readonly sections: readonly Section[];
}

/** A setting that needs a restart. The reason completes the sentence "Needs a restart because". */
export interface RestartSetting {
  readonly key: string;
  readonly reason: string;
}

/** How the settings in the files differ from the settings that the server runs with. */
export interface RunningState {
  /** When the files were changed (ISO 8601). Null if they match the running settings. */
  readonly changedAt: string | null;
  /** The settings that a reload applies. */
  readonly unapplied: readonly string[];
  readonly needsRestart: readonly RestartSetting[];
  /** The errors in the files, with file and line. No setting can be applied until all errors are corrected. */
  readonly faults: readonly string[];
  readonly canReload: boolean;
  readonly canRestart: boolean;
  /** Identifies one run of the server, so it changes when the server restarts. */
  readonly run: string;
}

export interface Applied {
  readonly applied: readonly string[];
  readonly needsRestart: readonly RestartSetting[];
  /** Errors of services and certificates that can't use the new settings. */
  readonly problems: readonly string[];
}

export interface SettingsPreview {
  readonly diffs: readonly { readonly file: string; readonly lines: readonly DiffLine[] }[];
  readonly warnings: readonly string[];
}

/** An email rendered with sample values. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  /** The path of the project's own template. Null if the built-in template is used. */
  readonly file: string | null;
  /** The reason why the project's own template can't be used. */
  readonly fault: string | null;
}

export const contract = {
  'GET /settings': { response: json<Settings>() },
  'POST /settings/preview': { body: changes, response: json<SettingsPreview>() },
  'POST /settings': { body: changes, response: json<Applied>() },
  'GET /settings/running': { response: json<RunningState>() },
  /** Applies the settings in the files. */
  'POST /settings/reload': { response: json<Applied>() },
  /** Restarts the server with the settings in the files. */
  'POST /settings/restart': { response: noContent },
  'GET /settings/mails': { response: json<{ readonly names: readonly string[] }>() },
  'GET /settings/mails/:name': { response: json<RenderedMail>() },
  /** Returns the email as an HTML document for a sandboxed frame. */
  'GET /settings/mails/:name/html': { response: raw },
  'POST /settings/test-mail': { body: testMail, response: noContent },
  'POST /settings/test-text': { body: testText, response: noContent },
} as const satisfies RouteTable;
