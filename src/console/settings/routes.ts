/** Settings: what can be set and what is; a change is judged, shown as a diff, and written into the project's files. */
import { ConfigError, loadConfig } from '../../config/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import { diffLines } from './diff.ts';
import { type Change, createSettingsFiles, masked } from './files.ts';
import { changedKeys, sectionsIn } from './sections.ts';

export interface SettingsDeps {
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly audit: Audit;
}

const files = ['config.toml', 'plinth.toml'] as const;

/** Who may sign in where, and with which keys, is an owner's to say. */
const ownersOnly: readonly RegExp[] = [
  /^auth\.(jwt_secret|signing_keys_path|publishable_key|secret_key|anon_key|service_role_key)$/,
  /^auth\.hook\./,
  /^(console|server)\./,
];

/** With it one could sign in as somebody. */
const asUser = /^auth\.sms\.test_otp\./;

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
    for (const change of changes as Change[]) {
      const key = change.path.join('.');
      if (!may(call.operator.role, 'own') && ownersOnly.some((pattern) => pattern.test(key)))
        throw new ConsoleError('forbidden', { message: `Only an owner may change ${key}.` });
    }
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
