/**
 * The routes that list settings, validate changes, show the changes as a diff, and write them to the project's files.
 */
import { describePages } from '../../../platform/config/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { type Api, freshByInput } from '../routes/api.ts';
import { requireFresh } from '../sessions.ts';
import { type ChangesDeps, createSettingChanges, needsFreshSignIn } from './changes.ts';
import type { Setting, SettingFacts } from './contract.ts';
import { envReference } from './known.ts';
import { createRunning, type RunningDeps, runningRoutes } from './running.ts';
import { sectionsIn } from './sections.ts';

export interface SettingsDeps extends RunningDeps, ChangesDeps {
  readonly callbackUrl: () => string;
  readonly audit: Audit;
}

/** Only owners can change test codes, because anyone who knows a test code can sign in as a user. */
const asUser = /^auth\.sms\.test_otp\./;

export function settingsRoutes(api: Api, deps: SettingsDeps): void {
  const { audit, callbackUrl, configuration, settingsLock: lock } = deps;
  const route = api.feature(() => import('./contract.ts'));
  const changes = createSettingChanges(deps);
  const { files } = changes;
  const running = createRunning(deps);
  runningRoutes(api, running, deps);

  route('GET /settings', 'read', async ({ operator }) => {
    const [project, plinth] = [files.read('config.toml'), files.read('plinth.toml')];
    const texts = { 'config.toml': project.text, 'plinth.toml': plinth.text };
    const origins = configuration?.origins();
    const isHidden = (path: readonly string[]): boolean =>
      !may(operator.role, 'secrets') && asUser.test(path.join('.'));
    const shown = (setting: SettingFacts): Setting => {
      const { value, isSet } = files.valueOf(texts[setting.file], setting);
      const variable = origins?.overrides.get(setting.path.join('.'));
      const name = envReference.exec(String(value))?.[1];
      return {
        ...setting,
        value: isHidden(setting.path) ? null : value,
        isSet,
        override: variable === undefined ? null : { variable },
        reference: name === undefined ? null : { name, isSet: origins?.hasVariable(name) ?? false },
      };
    };
    return {
      stamps: { 'config.toml': project.stamp, 'plinth.toml': plinth.stamp },
      pages: describePages(),
      callbackUrl: callbackUrl(),
      sections: sectionsIn(texts).map((section) => ({ ...section, settings: section.settings.map(shown) })),
    };
  });

  route('POST /settings/check', 'write', async (call) => ({
    faults: changes.faults(call.operator, (await call.body()).changes),
  }));
  route('POST /settings/preview', 'write', async (call) => {
    const edit = await changes.check(call.operator, await call.body());
    return { diffs: changes.diffs(edit), warnings: edit.warnings };
  });
  route('POST /settings', freshByInput('write'), async (call) => {
    const body = await call.body();
    if (needsFreshSignIn(body)) requireFresh(call.operator);
    return lock(async () => {
      const edit = await changes.check(call.operator, body);
      const recorded = changes.recorded(edit);
      const restore = changes.write(edit);
      const applied = await running.apply().catch((error: unknown) => {
        // Restores the files if the settings can't be applied, because some values are checked only when they are used,
        // for example a logo that isn't an image.
        restore();
        throw error;
      });
      await audit(call, 'settings.change', edit.fileNames.join(', '), { keys: edit.keys, changes: recorded });
      return applied;
    });
  });
}
