/** All pages of the Console's settings, in display order. */
import { databasePages } from './database.ts';
import { messagePages } from './messages.ts';
import { projectPages } from './project.ts';
import { protectionPages } from './protection.ts';
import { serverPages } from './server.ts';
import { servicePages } from './services.ts';
import { signInServicePages } from './sign-in-services.ts';
import type { Entry, PageSpec } from './types.ts';
import { userPages } from './users.ts';

export const settingPages: readonly PageSpec[] = [
  ...projectPages,
  ...userPages,
  ...protectionPages,
  ...signInServicePages,
  ...messagePages,
  ...servicePages,
  ...databasePages,
  ...serverPages,
];

/**
 * The settings that aren't on any page. The keys of these settings exist only so that the loader can reject them with
 * an explanation.
 */
export const withoutPage = /^auth\.email\.(template|notification)\.\w+\.content$/;

const entries = new Map<string, Entry>(
  settingPages.flatMap(({ parts }) =>
    parts.flatMap(({ settings }) => settings.map((entry) => [entry[0], entry] as const)),
  ),
);

/** Returns the entry for a setting on the settings pages. In the setting's path, `*` stands for user-chosen names. */
export const entryOf = (path: readonly string[]): Entry | undefined => entries.get(path.join('.'));
