/** Applies changes in the settings files while the server runs, and prints the result. */

import { ConfigError, noticeText, readFilesState } from '../../platform/config/index.ts';
import type { Reload } from '../main.ts';
import { type ConfigSource, settingName } from '../main.ts';

const intervalMs = 1000;

export interface SettingsWatch {
  /** Whether the files are currently watched. */
  readonly isOn: () => boolean;
  readonly files: ConfigSource['files'];
  readonly reload: () => Promise<Reload>;
  readonly print: (line: string) => void;
}

/**
 * Starts watching. Returns a function that stops watching. The files are read at intervals, because file system events
 * miss files that an editor or deployment tool replaces. A change is applied once two consecutive reads return the same
 * content, because several files may be written one after another. When watching is turned on, the files are compared
 * once with the settings in effect.
 */
export function watchSettings({ isOn, files, reload, print }: SettingsWatch): () => void {
  const read = (): string => readFilesState(files).hash;
  let handled = isOn() ? read() : undefined;
  let previous = handled;
  let isReloading = false;
  const look = async (): Promise<void> => {
    if (!isOn()) {
      handled = previous = undefined;
      return;
    }
    const now = read();
    const isSettled = now === previous;
    previous = now;
    if (!isSettled || now === handled || isReloading) return;
    isReloading = true;
    handled = now;
    for (const line of await reload().then(linesOf, faultLines)) print(line);
    isReloading = false;
  };
  const timer = setInterval(() => void look(), intervalMs).unref();
  return () => clearInterval(timer);
}

function linesOf({ applied, needsRestart, problems }: Reload): string[] {
  return [
    ...(applied.length === 0 ? [] : [`Changed settings: ${applied.map(settingName).join(', ')}`]),
    ...needsRestart.map(({ key, reason }) => `${settingName(key)} needs a restart because ${reason}.`),
    ...(needsRestart.length === 0 ? [] : ['Run "plinth reload --restart" to restart the server.']),
    ...problems,
  ];
}

const faultLines = (error: unknown): string[] => [
  'The changed settings are invalid, so nothing was changed:',
  ...(error instanceof ConfigError ? error.faults.map(noticeText) : [String(error)]).map(
    (line) => `  ${line}`,
  ),
];
