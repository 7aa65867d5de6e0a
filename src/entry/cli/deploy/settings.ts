/** Asks the server which of the project's settings differ from its own, and pushes them. */
import { type PushedSettings, readSettings, resultLines, settingsLines } from '../management/settings.ts';
import { say } from '../output.ts';
import { type DeployContext, type Part, withoutChanges } from './part.ts';

export async function planSettings({ client, projectDir, config }: DeployContext): Promise<Part> {
  const texts = readSettings(projectDir, config);
  const push = (isDryRun: boolean): Promise<PushedSettings> =>
    client.call<PushedSettings>('pushConfig', { ...texts, dry_run: isDryRun });
  const { diff, keys, skipped } = await push(true);
  // Buckets are a separate part.
  const kept = skipped.filter((key) => !key.startsWith('storage.buckets.'));
  const notes = kept.length === 0 ? [] : [`Not pushed: ${kept.join(', ')}`];
  if (keys.length === 0) return withoutChanges(notes);
  return {
    changes: settingsLines(diff),
    notes,
    steps: {
      async settings() {
        for (const line of resultLines(await push(false))) say(line);
      },
    },
  };
}
