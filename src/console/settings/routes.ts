/** The routes that list settings, show changes as a diff, and write them to the project's files. */
import { ConfigError, loadConfig } from '../../config/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api, RouteCall } from '../routes/api.ts';
import type { contract } from './contract.ts';
import { diffLines } from './diff.ts';
import { type Change, createSettingsFiles, masked } from './files.ts';
import { settingOf } from './known.ts';
import { createRunning, type RunningDeps, runningRoutes } from './running.ts';
import { sectionsIn } from './sections.ts';

export interface SettingsDeps extends RunningDeps {
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly audit: Audit;
}

/** Only owners can change a test code, because it can be used to sign in as a user. */
const asUser = /^auth\.sms\.test_otp\./;

/**
 * Checks that a developer is allowed to make a change. @throws {ConsoleError} bad_request, if the setting doesn't
 * exist; forbidden
 */
function checkDeveloper(change: Change): void {
  const key = change.path.join('.');
  const setting = settingOf(change);
  if (setting === undefined)
    throw new ConsoleError('bad_request', { message: `The setting ${key} doesn't exist.` });
  if (setting.changedBy !== 'developer')
    throw new ConsoleError('forbidden', { message: `Only owners can change ${key}.` });
  // References are rejected because they would copy the value of an environment variable into a setting, where it might
  // become visible.
  if ([change.value].flat().some((value) => String(value).includes('env(')))
    throw new ConsoleError('forbidden', {
      message: `Only owners can use environment variables in settings. Enter the value of ${key} directly.`,
    });
}

type ChangesCall = RouteCall<string, (typeof contract)['POST /settings']>;

export function settingsRoutes(api: Api, deps: SettingsDeps): void {
  const { projectDir, supabaseDir, audit } = deps;
  const route = api.feature(() => import('./contract.ts'));
  const settings = createSettingsFiles(supabaseDir);
  const stampsNow = () => ({
    'config.toml': settings.read('config.toml').stamp,
    'plinth.toml': settings.read('plinth.toml').stamp,
  });
  const textsNow = () => ({
    'config.toml': settings.read('config.toml').text,
    'plinth.toml': settings.read('plinth.toml').text,
  });
  const running = createRunning(deps);
  runningRoutes(api, running, deps);

  route('GET /settings', 'read', async ({ operator }) => {
    const texts = textsNow();
    const isHidden = (path: readonly string[]): boolean =>
      !may(operator.role, 'secrets') && asUser.test(path.join('.'));
    return {
      stamps: stampsNow(),
      sections: sectionsIn(texts).map((section) => ({
        ...section,
        settings: section.settings.map((setting) => {
          const { value, isSet } = settings.valueOf(texts[setting.file], setting);
          return { ...setting, value: isHidden(setting.path) ? null : value, isSet };
        }),
      })),
    };
  });

  async function checkChanges(call: ChangesCall) {
    const { changes, stamps } = await call.body();
    if (!may(call.operator.role, 'own')) (changes as Change[]).forEach(checkDeveloper);
    const texts = settings.changed(changes, stamps);
    let warnings: readonly string[] = [];
    try {
      ({ warnings } = loadConfig({ projectDir, texts }));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // The message lists all errors in the resulting configuration.
      throw new ConsoleError('bad_request', {
        message: error.faults.map(({ key, message }) => `${key}: ${message}`).join('\n'),
      });
    }
    return { changes, texts, warnings };
  }

  route('POST /settings/preview', 'write', async (call) => {
    const { texts, warnings } = await checkChanges(call);
    return {
      diffs: Object.entries(texts).map(([file, text]) => ({
        file,
        lines: diffLines(masked(settings.read(file as Change['file']).text), masked(text)),
      })),
      warnings,
    };
  });
  route('POST /settings', 'write', async (call) => {
    const { changes, texts } = await checkChanges(call);
    const before = Object.keys(texts).map((file) => ({ file, ...settings.read(file as Change['file']) }));
    settings.write(texts);
    const applied = await running.apply().catch((error: unknown) => {
      // Restores the previous files because some values are only checked when they are used, such as a logo that isn't
      // an image.
      for (const { file, text, stamp } of before) settings.restore(file as Change['file'], text, stamp);
      throw error;
    });
    await audit(call, 'settings.change', Object.keys(texts).join(', '), {
      keys: changes.map(({ path }) => path.join('.')),
    });
    return applied;
  });
}
