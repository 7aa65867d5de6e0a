import { z } from 'zod';
import type { DiffLine } from '../../../base/shared/diff-lines.ts';
import { templateSizeFault } from '../../../base/shared/template-limits.ts';
import type {
  NamesFacts,
  PageFacts,
  SectionFacts,
  SettingFacts,
  SettingsFile,
} from '../../../platform/config/index.ts';
import type { HookTest, ProviderTest } from '../../../services/auth/index.ts';
import { json, noContent, type RouteTable, raw } from '../core/contract.ts';

const value = z.union([
  z.string().max(10_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(2000)).max(200),
]);

const changeList = z
  .array(
    z.object({
      file: z.enum(['config.toml', 'plinth.toml']),
      path: z.array(z.string().min(1).max(100)).min(1).max(8),
      value: value.nullable(),
      /** Whether the value in the project's file applies again. Only for settings that the saved settings override. */
      usesProject: z.literal(true).optional(),
    }),
  )
  .max(200);

const templateHtml = z.string().superRefine((html, context) => {
  const message = templateSizeFault(html);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const changes = z
  .object({
    changes: changeList,
    /** The new HTML of email templates. `stamp` identifies the version of the file that was edited. */
    templates: z
      .array(z.object({ name: z.string().max(100), html: templateHtml, stamp: z.string() }))
      .max(20)
      .default([]),
    stamps: z.object({ 'config.toml': z.string(), 'plinth.toml': z.string() }),
  })
  .refine((body) => body.changes.length + body.templates.length > 0, 'contains no changes');
const check = z.object({ changes: changeList.min(1) });
const mailDraft = z.object({
  language: z.string().max(20),
  /** The edited subject and HTML. Null stands for the current text. */
  subject: z.string().max(2000).nullable(),
  html: templateHtml.nullable(),
});
const testName = z.object({ name: z.string().min(1).max(100) });
const testMail = z.object({ to: z.email(), template: z.string().min(1).max(100) });
const testText = z.object({
  to: z.string().regex(/^\+?[1-9][0-9 ]{1,18}$/, 'must be a phone number with a country code'),
});

export type { DiffLine, HookTest, PageFacts, ProviderTest, SettingFacts, SettingsFile };
export type SettingValue = string | number | boolean | readonly string[];

export interface Setting extends SettingFacts {
  /** The setting's value in the files. Null if the files don't contain a value or if the setting is a secret. */
  readonly value: SettingValue | null;
  readonly isSet: boolean;
  /** The value in the project's file if the saved settings override the value. Otherwise null. */
  readonly project: { readonly value: SettingValue | null; readonly isSet: boolean } | null;
  /** The source of the setting's running value. Null if the running value comes from the file or is the default. */
  readonly override: Override | null;
  /** The environment variable that the file refers to with `env()`. */
  readonly reference: { readonly name: string; readonly isSet: boolean } | null;
}

export interface Override {
  /** The name of the environment variable. Null for a command-line flag. */
  readonly variable: string | null;
}

export interface Section extends Omit<SectionFacts, 'settings'> {
  readonly settings: readonly Setting[];
  /** How to add a name to the table, if the table has user-chosen keys. */
  readonly names?: NewNames | undefined;
}

/** Describes how a name is added to a table with user-chosen keys. */
export interface NewNames extends Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> {
  /** The settings that a newly added name has. In the paths of these settings, `*` stands for the name. */
  readonly settings: readonly SettingFacts[];
}

export interface Settings {
  readonly stamps: Readonly<Record<SettingsFile, string>>;
  /**
   * Where changes are saved: in the project's files, or in the layer above them. The layer belongs to this node, or to
   * all nodes of the group.
   */
  readonly savedIn: 'project' | 'node' | 'group';
  readonly pages: readonly PageFacts[];
  /** The URL to which providers redirect users, unless a provider's settings override the URL. */
  readonly callbackUrl: string;
  readonly sections: readonly Section[];
}

/** A setting that needs a restart. The reason is worded as the end of the sentence "Needs a restart because". */
export interface RestartSetting {
  readonly key: string;
  readonly reason: string;
}

/** How the settings in the files differ from the settings that the server is using. */
export interface RunningState {
  /** When the files were last changed (ISO 8601). Null if the files match the running settings. */
  readonly changedAt: string | null;
  /** The changed settings that a reload would apply. */
  readonly unapplied: readonly string[];
  readonly needsRestart: readonly RestartSetting[];
  /** The errors in the files, each with its file and line. A reload fails until all errors are fixed. */
  readonly faults: readonly string[];
  readonly canReload: boolean;
  readonly canRestart: boolean;
  /** Identifies the current run of the server. The value changes when the server restarts. */
  readonly run: string;
}

/** The state of the server that responds, and the number of running nodes, which a restart includes. */
export interface RunningServer extends RunningState {
  readonly nodes: number;
}

export interface Applied {
  readonly applied: readonly string[];
  readonly needsRestart: readonly RestartSetting[];
  /** Errors from services that can't use the new settings, and errors about TLS certificates that can't be loaded. */
  readonly problems: readonly string[];
}

export interface SettingsPreview {
  readonly diffs: readonly { readonly file: string; readonly lines: readonly DiffLine[] }[];
  readonly warnings: readonly string[];
}

/** An error in a changed setting, as reported by the schema. */
export interface SettingFault {
  readonly key: string;
  readonly message: string;
}

export interface Mails {
  readonly mails: readonly { readonly name: string; readonly isEditable: boolean }[];
  readonly languages: readonly string[];
  /** The variables that templates can use, with their sample values. */
  readonly variables: readonly { readonly name: string; readonly sample: string }[];
}

/** The email template that the operator edits. */
export interface MailSource {
  /** The default subject in each language. */
  readonly defaultSubjects: Readonly<Record<string, string>>;
  /** The default subject of emails that are sent at the request of an app. */
  readonly apiSubject: string;
  readonly html: string;
  /** The HTML of the built-in template. */
  readonly defaultHtml: string;
  /** Identifies the version of the project's own template file. Empty if the template file doesn't exist. */
  readonly stamp: string;
  /** The path to the project's own template. Null if the project uses the built-in template. */
  readonly file: string | null;
}

/** An email rendered with sample values. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  /** The ID of the rendered HTML document, which is shown in a sandboxed frame. */
  readonly frame: string;
  /** The path to the project's own template. Null if the project uses the built-in template. */
  readonly file: string | null;
  /** The reason why the project's own template can't be used. */
  readonly fault: string | null;
}

export const contract = {
  'GET /settings': { response: json<Settings>() },
  /** Validates changes without writing them, and returns the errors in the resulting configuration. */
  'POST /settings/check': { body: check, response: json<{ readonly faults: readonly SettingFault[] }>() },
  'POST /settings/preview': { body: changes, response: json<SettingsPreview>() },
  'POST /settings': { body: changes, response: json<Applied>() },
  'GET /settings/running': { response: json<RunningServer>() },
  /** Applies the settings in the files to the running server. */
  'POST /settings/reload': { response: json<Applied>() },
  /** Restarts the server with the settings in the files. If there are several nodes, restarts them one after another. */
  'POST /settings/restart': { response: noContent },
  'GET /settings/mails': { response: json<Mails>() },
  'GET /settings/mails/:name': { response: json<MailSource>() },
  /** Renders an email with sample values, optionally with an edited template. */
  'POST /settings/mails/:name/preview': { body: mailDraft, response: json<RenderedMail>() },
  /** Returns a rendered email as an HTML document for a sandboxed frame. */
  'GET /settings/frames/:id': { response: raw },
  'POST /settings/test-mail': { body: testMail, response: noContent },
  'POST /settings/test-text': { body: testText, response: noContent },
  'POST /settings/test-provider': { body: testName, response: json<ProviderTest>() },
  'POST /settings/test-hook': { body: testName, response: json<HookTest>() },
} as const satisfies RouteTable;
