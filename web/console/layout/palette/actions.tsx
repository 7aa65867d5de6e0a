/**
 * Defines the actions of the palette. Each action opens a page (and the action's dialog, if the page has such a dialog)
 * or asks for confirmation. Only the actions that the operator's role allows are offered.
 */
import {
  IconClockPlay,
  IconDatabaseExport,
  IconEye,
  IconFolderPlus,
  IconKey,
  IconKeyboard,
  IconLogout,
  IconMailForward,
  IconMoon,
  IconPlus,
  IconSitemap,
  IconSun,
  IconSunMoon,
  IconTablePlus,
  IconUpload,
  IconUserPlus,
} from '@tabler/icons-react';
import type { Permission } from '../../api/types.ts';
import { type Intent, requestIntent } from '../../components/intent.ts';
import { openTab } from '../../features/sql/tabs.ts';
import { type PaletteTextId, t } from './text.ts';
import type { Item, SearchTarget } from './types.ts';

export interface ActionTools {
  readonly open: (target: SearchTarget) => void;
  readonly setScheme: (scheme: 'light' | 'dark' | 'auto') => void;
  readonly confirm: (what: 'backup' | 'sign-out') => void;
  readonly showShortcuts: () => void;
}

type Spec = readonly [
  id: string,
  needs: Permission,
  Icon: typeof IconPlus,
  act: SearchTarget | ((tools: ActionTools) => void),
  intent?: Intent,
];

const specs: readonly Spec[] = [
  ['create-table', 'write', IconTablePlus, { to: '/tables/new' }],
  ['diagram', 'read', IconSitemap, { to: '/tables/diagram' }],
  ['import-file', 'write', IconUpload, { to: '/tables/new', search: { from: 'file' } }],
  ['new-query', 'read', IconPlus, ({ open }) => open({ to: '/sql', search: { tab: openTab() } })],
  ['create-user', 'write', IconUserPlus, { to: '/users' }, 'create-user'],
  ['invite-user', 'write', IconMailForward, { to: '/users' }, 'invite-user'],
  ['create-bucket', 'write', IconFolderPlus, { to: '/storage' }, 'create-bucket'],
  ['create-cron-job', 'write', IconClockPlay, { to: '/jobs/cron' }, 'create-cron-job'],
  ['new-function', 'write', IconPlus, { to: '/functions' }, 'create-function'],
  ['function-secrets', 'read', IconKey, { to: '/functions', search: { view: 'secrets' } }],
  ['backup', 'write', IconDatabaseExport, ({ confirm }) => confirm('backup')],
  ['rotate-key', 'own', IconKey, { to: '/keys' }],
  ['invite-operator', 'own', IconUserPlus, { to: '/operators' }, 'invite-operator'],
  ['view-as-anon', 'read', IconEye, { to: '/sql', search: { as: 'anon' } }],
  ['theme-light', 'read', IconSun, ({ setScheme }) => setScheme('light')],
  ['theme-dark', 'read', IconMoon, ({ setScheme }) => setScheme('dark')],
  ['theme-auto', 'read', IconSunMoon, ({ setScheme }) => setScheme('auto')],
  ['shortcuts', 'read', IconKeyboard, ({ showShortcuts }) => showShortcuts()],
  ['sign-out', 'read', IconLogout, ({ confirm }) => confirm('sign-out')],
];

export const actionItems = (permissions: readonly Permission[], tools: ActionTools): Item[] =>
  specs
    .filter(([, needs]) => permissions.includes(needs))
    .map(([id, , Icon, act, intent]) => ({
      id: `action:${id}`,
      group: 'actions',
      title: t(`action.${id}` as PaletteTextId),
      words: t(`action.${id}.words` as PaletteTextId),
      icon: <Icon size={18} stroke={1.75} aria-hidden />,
      run: () => {
        if (intent !== undefined) requestIntent(intent);
        if (typeof act === 'function') act(tools);
        else tools.open(act);
      },
    }));

/** Returns the action that imports a file into the open table. */
export function importAction(table: { schema: string; name: string }, open: ActionTools['open']): Item {
  const target: SearchTarget = {
    to: '/tables/$schema/$table',
    params: { schema: table.schema, table: table.name },
    search: { import: true },
  };
  return {
    id: `action:import ${table.schema}.${table.name}`,
    group: 'actions',
    title: t('action.import-here', { table: `${table.schema}.${table.name}` }),
    words: t('action.import-here.words'),
    icon: <IconUpload size={18} stroke={1.75} aria-hidden />,
    target,
    run: () => open(target),
  };
}

/** The actions on a user, and patterns for the beginning of their commands (such as `ban ada@example.com`). */
const userVerbs = {
  ban: { needs: 'write', pattern: /^ban\s+/i, intent: 'ban-user' },
  delete: { needs: 'write', pattern: /^(?:delete|remove)\s+(?:user\s+)?/i, intent: 'delete-user' },
  'act-as': { needs: 'write', pattern: /^(?:act as|impersonate|sign in as)\s+/i, intent: 'act-as-user' },
  'view-as': { needs: 'read', pattern: /^view as\s+/i, intent: undefined },
} as const satisfies Record<string, { needs: Permission; pattern: RegExp; intent: Intent | undefined }>;

type UserVerb = keyof typeof userVerbs;

export interface UserCommand {
  readonly verb: UserVerb;
  /** The text that identifies the user. */
  readonly user: string;
}

export function userCommandOf(search: string, permissions: readonly Permission[]): UserCommand | undefined {
  for (const [verb, { pattern, needs }] of Object.entries(userVerbs)) {
    if (!pattern.test(search) || !permissions.includes(needs)) continue;
    const user = search.replace(pattern, '').trim();
    if (user !== '') return { verb: verb as UserVerb, user };
  }
  return undefined;
}

/** Returns the item that runs the command for a user whom the server found. */
export function userAction(
  { verb }: UserCommand,
  user: { readonly id: string; readonly name: string; readonly detail: string },
  open: ActionTools['open'],
): Item {
  const { intent } = userVerbs[verb];
  return {
    id: `${verb}:${user.id}`,
    group: 'actions',
    title: t(`user.${verb}`, { name: user.name }),
    detail: user.detail,
    run: () => {
      if (intent !== undefined) requestIntent(intent);
      open(
        intent === undefined
          ? { to: '/sql', search: { as: `user:${user.id}` } }
          : { to: '/users', search: { id: user.id } },
      );
    },
  };
}
