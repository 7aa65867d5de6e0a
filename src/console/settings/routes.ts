/** The routes that list settings, preview changes as a diff, and write them to the project's files. */
import { ConfigError, loadConfig } from '../../config/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api, RouteCall } from '../routes/api.ts';
import type { contract } from './contract.ts';
import { diffLines } from './diff.ts';
import { type Change, createSettingsFiles, masked } from './files.ts';
import { settingOf } from './known.ts';
import { changedKeys, sectionsIn } from './sections.ts';

export interface SettingsDeps {
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly audit: Audit;
}

const files = ['config.toml', 'plinth.toml'] as const;

/** A test code allows signing in as a user. */
const asUser = /^auth\.sms\.test_otp\./;

/** @throws {ConsoleError} bad_request: no such setting; forbidden */
function checkDeveloper(change: Change): void {
  const key = change.path.join('.');
  const setting = settingOf(change);
  if (setting === undefined)
    throw new ConsoleError('bad_request', { message: `The setting ${key} doesn't exist.` });
  if (setting.changedBy !== 'developer')
    throw new ConsoleError('forbidden', { message: `Only owners can change ${key}.` });
  // The value of an environment variable would be visible wherever the setting is.
  if ([change.value].flat().some((value) => String(value).includes('env(')))
    throw new ConsoleError('forbidden', {
      message: `Only owners can use environment variables in settings. Enter the value of ${key} directly.`,
    });
}

type ChangesCall = RouteCall<string, (typeof contract)['POST /settings']>;

export function settingsRoutes(api: Api, { projectDir, supabaseDir, audit }: SettingsDeps): void {
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
  // The server reads its settings once, at startup.
  const atStart = textsNow();

  route('GET /settings', 'read', async ({ operator }) => {
    const texts = textsNow();
    const isHidden = (path: readonly string[]): boolean =>
      !may(operator.role, 'secrets') && asUser.test(path.join('.'));
    return {
      stamps: stampsNow(),
      waiting: files.flatMap((file) =>
        changedKeys(file, atStart[file], texts[file]).map((key) => ({ file, key })),
      ),
      sections: sectionsIn(texts).map((section) => ({
        ...section,
        settings: section.settings.map((setting) => {
          const { value, isSet } = settings.valueOf(texts[setting.file], setting);
          return { ...setting, value: isHidden(setting.path) ? null : value, isSet };
        }),
      })),
    };
  });

  async function judged(call: ChangesCall) {
    const { changes, stamps } = await call.body();
    if (!may(call.operator.role, 'own')) (changes as Change[]).forEach(checkDeveloper);
    const texts = settings.changed(changes, stamps);
    let warnings: readonly string[] = [];
    try {
      ({ warnings } = loadConfig({ projectDir, texts }));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // Reports every fault of the resulting configuration.
      throw new ConsoleError('bad_request', {
        message: error.faults.map(({ key, message }) => `${key}: ${message}`).join('\n'),
      });
    }
    return { changes, texts, warnings };
  }

  route('POST /settings/preview', 'write', async (call) => {
    const { texts, warnings } = await judged(call);
    return {
      diffs: Object.entries(texts).map(([file, text]) => ({
        file,
        lines: diffLines(masked(settings.read(file as Change['file']).text), masked(text)),
      })),
      warnings,
    };
  });
  route('POST /settings', 'write', async (call) => {
    const { changes, texts } = await judged(call);
    settings.write(texts);
    await audit(call, 'settings.change', Object.keys(texts).join(', '), {
      keys: changes.map(({ path }) => path.join('.')),
    });
    return { stamps: stampsNow() };
  });
}
