/** Changes the settings in the server's config.toml to those of a pushed file. */
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, loadConfig } from '../../config/index.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { diffLines } from '../settings/diff.ts';
import { createSettingsFiles, masked } from '../settings/files.ts';
import { createRunning, type RunningDeps } from '../settings/running.ts';
import { at, tableOf } from '../settings/toml.ts';
import { pushedSettings } from './core/pushed-settings.ts';
import { ManagementError } from './errors.ts';
import { detailOf, type Handlers } from './handlers.ts';

export interface ConfigDeps extends RunningDeps {
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly audit: Audit;
}

const file = 'config.toml';

export function configCalls(deps: ConfigDeps) {
  const { projectDir, supabaseDir, audit } = deps;
  const settings = createSettingsFiles(supabaseDir);
  const running = createRunning(deps);

  /** Returns the changed text of the server's file. Settings that the pushed file doesn't contain stay the same. */
  function changedBy(pushed: string) {
    const { changes, skipped } = pushedSettings(tableOf(file, pushed));
    const current = settings.read(file);
    const table = tableOf(file, current.text);
    const different = changes.filter(({ path, value }) => !isDeepStrictEqual(at(table, path), value));
    const texts = settings.changed(
      different.map((change) => ({ file, ...change })),
      { [file]: current.stamp, 'plinth.toml': settings.read('plinth.toml').stamp },
    );
    const { warnings } = loadConfig({ projectDir, texts });
    return { current, texts, warnings, skipped, keys: different.map(({ path }) => path.join('.')) };
  }

  return {
    pushConfig: [
      'own',
      async ({ config, dry_run: isDryRun }, caller) => {
        try {
          const { current, texts, warnings, skipped, keys } = changedBy(config);
          const text = texts[file] ?? current.text;
          const result = { diff: diffLines(masked(current.text), masked(text)), keys, skipped, warnings };
          if (isDryRun || keys.length === 0)
            return { ...result, applied: [], needs_restart: [], problems: [] };
          settings.write(texts);
          const { applied, needsRestart, problems } = await running.apply().catch((error: unknown) => {
            settings.restore(file, current.text, current.stamp);
            throw error;
          });
          await audit(caller, 'settings.change', file, { keys, ...detailOf(caller) });
          return { ...result, applied, needs_restart: needsRestart.map(({ key }) => key), problems };
        } catch (error) {
          throw asManagementError(error);
        }
      },
    ],
  } satisfies Partial<Handlers>;
}

function asManagementError(error: unknown): unknown {
  if (error instanceof ConfigError)
    return new ManagementError(400, error.faults.map(({ key, message }) => `${key}: ${message}`).join('\n'));
  if (!(error instanceof ConsoleError)) return error;
  const { hint } = error.fields;
  return new ManagementError(error.status, hint === undefined ? error.message : `${error.message} ${hint}`);
}
