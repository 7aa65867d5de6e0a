/** The settings page's routes. */
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
  /** Null if the file has no value, or if the value is a secret. */
  readonly value: SettingValue | null;
  readonly isSet: boolean;
}

/** A section of the settings page. */
export interface Section extends Omit<SectionFacts, 'settings'> {
  readonly settings: readonly Setting[];
  /** For a table whose keys the user chooses. */
  readonly names?: NewNames | undefined;
}

/** How a new name is added to a table whose keys the user chooses. */
export interface NewNames extends Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> {
  /** The settings of a new name. In their paths, `*` replaces the name. */
  readonly settings: readonly SettingFacts[];
}

export interface Settings {
  readonly stamps: Readonly<Record<SettingsFile, string>>;
  /** Settings that have changed since the server started. They take effect at the next startup. */
  readonly waiting: readonly { readonly file: SettingsFile; readonly key: string }[];
  readonly sections: readonly Section[];
}

export interface SettingsPreview {
  readonly diffs: readonly { readonly file: string; readonly lines: readonly DiffLine[] }[];
  readonly warnings: readonly string[];
}

/** A mail rendered with sample values. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  /** The project's own template; null if the built-in template is used. */
  readonly file: string | null;
  /** Why the project's own template can't be used. */
  readonly fault: string | null;
}

export const contract = {
  'GET /settings': { response: json<Settings>() },
  'POST /settings/preview': { body: changes, response: json<SettingsPreview>() },
  'POST /settings': { body: changes, response: json<Pick<Settings, 'stamps'>>() },
  'GET /settings/mails': { response: json<{ readonly names: readonly string[] }>() },
  'GET /settings/mails/:name': { response: json<RenderedMail>() },
  /** The mail as an HTML document for a sandboxed frame. */
  'GET /settings/mails/:name/html': { response: raw },
  'POST /settings/test-mail': { body: testMail, response: noContent },
  'POST /settings/test-text': { body: testText, response: noContent },
} as const satisfies RouteTable;
