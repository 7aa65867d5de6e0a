/** Settings: what can be set and what is; a change is judged, shown as a diff, and written into the project's files. */
import { ConfigError, loadConfig } from '../../config/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
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

/** With it one could sign in as somebody. */
const asUser = /^auth\.sms\.test_otp\./;

/** @throws {ConsoleError} bad_request: no such setting; forbidden */
function checkDeveloper(change: Change): void {
  const key = change.path.join('.');
  const setting = settingOf(change);
  if (setting === undefined)
    throw new ConsoleError('bad_request', { message: `There is no setting ${key}.` });
  if (setting.changedBy !== 'developer')
    throw new ConsoleError('forbidden', { message: `Only an owner may change ${key}.` });
  // The value of a variable would show wherever the setting does.
  if ([change.value].flat().some((value) => String(value).includes('env(')))
    throw new ConsoleError('forbidden', {
      message: `Only an owner may use environment variables in settings: write the value of ${key} itself.`,
    });
}

export function settingsRoutes(api: Api, { projectDir, supabaseDir, audit }: SettingsDeps): void {
  const settings = createSettingsFiles(supabaseDir);
  const stampsNow = () => Object.fromEntries(files.map((file) => [file, settings.read(file).stamp]));
  const textsNow = () => ({
    'config.toml': settings.read('config.toml').text,
    'plinth.toml': settings.read('plinth.toml').text,
  });
  // The settings are read once, when the server starts.
  const atStart = textsNow();

  api.route('GET', '/settings', 'read', async ({ operator }) => {
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

  async function judged(call: Call) {
    const { changes, stamps } = await parseAs((await import('./schemas.ts')).changes, call.request.body);
    if (!may(call.operator.role, 'own')) (changes as Change[]).forEach(checkDeveloper);
    const texts = settings.changed(changes, stamps);
    let warnings: readonly string[] = [];
    try {
      ({ warnings } = loadConfig({ projectDir, texts }));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // Of the keys that were changed first: what else is wrong was wrong before.
      throw new ConsoleError('bad_request', {
        message: error.faults.map(({ key, message }) => `${key}: ${message}`).join('\n'),
      });
    }
    return { changes, texts, warnings };
  }

  api.route('POST', '/settings/preview', 'write', async (call) => {
    const { texts, warnings } = await judged(call);
    return {
      diffs: Object.entries(texts).map(([file, text]) => ({
        file,
        lines: diffLines(masked(settings.read(file as Change['file']).text), masked(text)),
      })),
      warnings,
    };
  });
  api.route('POST', '/settings', 'write', async (call) => {
    const { changes, texts } = await judged(call);
    settings.write(texts);
    await audit(call, 'settings.change', Object.keys(texts).join(', '), {
      keys: changes.map(({ path }) => path.join('.')),
    });
    return { stamps: stampsNow() };
  });
}
