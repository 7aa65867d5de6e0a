/** The routes that list settings, validate changes, show the changes as a diff, and write them to files. */
import {
  anyName,
  describePages,
  type NamesFacts,
  type SectionFacts,
  type SettingFacts,
  type SettingsFile,
} from '../../../platform/config/index.ts';
import type { GroupView } from '../../../platform/group/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { type Api, freshByInput } from '../routes/api.ts';
import { type Operator, requireFresh } from '../sessions.ts';
import { type ChangesDeps, createSettingChanges, type Edit, needsFreshSignIn } from './changes.ts';
import type { Setting } from './contract.ts';
import { allSettings, envReference } from './known.ts';
import { createRunning, type RunningDeps, runningRoutes } from './running.ts';
import { at, isTable, type Table } from './toml.ts';

interface SettingsDeps extends RunningDeps, ChangesDeps {
  readonly view: Pick<GroupView, 'isShared' | 'nodes'>;
  readonly callbackUrl: () => string;
  readonly audit: Audit;
}

/** Only owners can change test codes, because anyone who knows a test code can sign in as a user. */
const asUser = /^auth\.sms\.test_otp\./;

export function settingsRoutes(api: Api, deps: SettingsDeps): void {
  const { audit, callbackUrl, configuration, savedDir, settingsLock, view } = deps;
  const route = api.feature(() => import('./contract.ts'));
  const changes = createSettingChanges(deps);
  const { files } = changes;
  const running = createRunning(deps);
  runningRoutes(api, running, deps);

  async function save(operator: Operator, body: Edit) {
    const edit = await changes.check(operator, body);
    const recorded = changes.recorded(edit);
    const restore = changes.write(edit);
    const applied = await running.apply().catch((error: unknown) => {
      // Restores the files if the settings can't be applied, because some values are checked only when they are used,
      // for example a logo that isn't an image.
      restore();
      throw error;
    });
    return { edit, recorded, applied };
  }

  route('GET /settings', 'read', async ({ operator }) => {
    const read = bothFiles((file) => files.read(file));
    const tables = bothFiles((file) => files.table(file, read[file].text));
    const overridden = bothFiles((file) => files.overridden(file));
    const origins = configuration?.origins();
    const isHidden = (path: readonly string[]): boolean =>
      !may(operator.role, 'secrets') && asUser.test(path.join('.'));
    const shown = (setting: SettingFacts): Setting => {
      const { file, path } = setting;
      const { value, isSet } = files.valueOf(tables[file], setting);
      const project = overridden[file](setting);
      const variable = origins?.overrides.get(path.join('.'));
      const name = envReference.exec(String(value))?.[1];
      return {
        ...setting,
        value: isHidden(path) ? null : value,
        isSet,
        project: project && isHidden(path) ? { ...project, value: null } : project,
        override: variable === undefined ? null : { variable },
        reference: name === undefined ? null : { name, isSet: origins?.hasVariable(name) ?? false },
      };
    };
    return {
      stamps: { 'config.toml': read['config.toml'].stamp, 'plinth.toml': read['plinth.toml'].stamp },
      savedIn: savedDir === undefined ? 'project' : view.isShared ? 'group' : 'node',
      pages: describePages(),
      callbackUrl: callbackUrl(),
      sections: sectionsIn(tables).map((section) => ({ ...section, settings: section.settings.map(shown) })),
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
    return settingsLock.alone(async () => {
      const { edit, recorded, applied } = await settingsLock.store(() => save(call.operator, body));
      await audit(call, 'settings.change', edit.fileNames.join(', '), { keys: edit.keys, changes: recorded });
      return applied;
    });
  });
}

const bothFiles = <Value>(of: (file: SettingsFile) => Value): Readonly<Record<SettingsFile, Value>> => ({
  'config.toml': of('config.toml'),
  'plinth.toml': of('plinth.toml'),
});

/**
 * A section of the page. If the section's table has user-chosen keys, the section also contains the settings for a new
 * name.
 */
interface ShownSection extends SectionFacts {
  readonly names?: Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> & {
    /** The settings of a newly added name. In the paths of these settings, {@link anyName} stands for the name. */
    readonly settings: readonly SettingFacts[];
  };
}

/**
 * Returns all sections. For a table with user-chosen keys, the section contains the settings for each name in the
 * table.
 */
function sectionsIn(settings: Readonly<Record<SettingsFile, Table>>): ShownSection[] {
  const { sections, names } = allSettings();
  const tables = names.flatMap((facts) => {
    const table = settings[facts.file];
    return refsOf(table, facts.path).map((path): ShownSection => {
      const { placeholder, pattern, upperCase } = facts;
      const inner = at(table, path);
      const template = facts.settings.map((one) => ({ ...one, path: within(one.path, path) }));
      const present = isTable(inner) ? Object.keys(inner) : [];
      return {
        file: facts.file,
        path,
        help: facts.help,
        names: { placeholder, pattern, upperCase, settings: template },
        settings: present.flatMap((name) =>
          template.map((one) => ({ ...one, path: within(one.path, [...path, name]) })),
        ),
      };
    });
  });
  return [...sections, ...tables];
}

/** Returns the path with `first` in place of its first parts. */
const within = (path: readonly string[], first: readonly string[]): string[] => [
  ...first,
  ...path.slice(first.length),
];

/** Returns all paths in the file that match a path in which placeholders stand for names. */
function refsOf(table: Table, path: readonly string[]): string[][] {
  const index = path.indexOf(anyName);
  if (index < 0) return [[...path]];
  const inner = at(table, path.slice(0, index));
  return (isTable(inner) ? Object.keys(inner) : []).flatMap((name) =>
    refsOf(table, [...path.slice(0, index), name, ...path.slice(index + 1)]),
  );
}
