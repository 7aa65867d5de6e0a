/**
 * Returns the results for the text in the field. Returns recent results if the field is empty, and otherwise matches in
 * groups.
 */
import {
  IconBolt,
  IconBucket,
  IconClockPlay,
  IconColumns3,
  IconHistory,
  IconListDetails,
  IconRowInsertBottom,
  IconSettings,
  IconStack2,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SearchGroup } from '../../../../src/pages/console/search/contract.ts';
import { sessionQuery } from '../../api/session.ts';
import { type ActionTools, userAction, userCommandOf } from './actions.tsx';
import type { DocSection } from './doc-sections.ts';
import { grouped, type ItemGroup } from './grouped.ts';
import { useLocalItems } from './local-items.tsx';
import { readRecents } from './recents.ts';
import type { Group, Item } from './types.ts';
import { useServerResults } from './use-server-items.ts';

const icons: Record<SearchGroup, typeof IconUser> = {
  columns: IconColumns3,
  rows: IconRowInsertBottom,
  users: IconUser,
  files: IconBucket,
  functions: IconBolt,
  jobs: IconClockPlay,
  settings: IconSettings,
  requests: IconListDetails,
  migrations: IconStack2,
};

export interface Results {
  readonly groups: readonly ItemGroup[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
  /** The groups that the server couldn't search completely. */
  readonly partial: readonly SearchGroup[];
}

export function useItems(
  text: string,
  whole: ReadonlySet<Group>,
  tools: ActionTools,
  onDoc: (section: DocSection) => void,
): Results {
  const { data: session } = useQuery(sessionQuery);
  const permissions = session?.operator.permissions ?? [];
  const operator = session?.operator.name ?? '';
  const search = text.trim();
  const command = userCommandOf(search, permissions);
  const local = useLocalItems(tools, onDoc);
  const { lines, isSearching, hasFailed } = useServerResults(command?.user ?? search);
  const commandKey = command === undefined ? '' : `${command.verb} ${command.user}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: commandKey identifies the command
  const groups = useMemo(() => {
    if (search === '') return recentGroups(operator, local, tools);
    const server = lines.flatMap(({ group, hits }) =>
      hits.map(({ title, detail, target }): Item => {
        const Icon = icons[group];
        return {
          id: `${group}:${JSON.stringify(target)}`,
          group,
          title,
          detail,
          target,
          icon: <Icon size={18} stroke={1.75} aria-hidden />,
          run: () => tools.open(target),
        };
      }),
    );
    if (command === undefined) return grouped(search, local, server, whole);
    const users = server.filter(({ group }) => group === 'users');
    const actions = users.map(({ title, detail = '', target, icon }) => ({
      ...userAction(command, { id: String(target?.search?.id), name: title, detail }, tools.open),
      icon,
    }));
    const rest = grouped(search, local, users, whole);
    return actions.length === 0
      ? rest
      : [{ group: 'actions' as const, items: actions, count: actions.length }, ...rest];
  }, [search, commandKey, whole, local, lines, operator, tools]);
  return {
    groups,
    isSearching,
    hasFailed,
    partial: lines.filter(({ isPartial }) => isPartial).map(({ group }) => group),
  };
}

/** Returns the groups that are shown before the operator types: recent results, actions and pages. */
function recentGroups(operator: string, local: readonly Item[], tools: ActionTools): ItemGroup[] {
  const recent = readRecents(operator).flatMap(({ id, title, detail, target }): Item[] => {
    const known = local.find((item) => item.id === id);
    if (known !== undefined) return [{ ...known, group: 'recent' }];
    if (target === undefined) return [];
    return [
      {
        id,
        group: 'recent',
        title,
        ...(detail === undefined ? {} : { detail }),
        target,
        icon: <IconHistory size={18} stroke={1.75} aria-hidden />,
        run: () => tools.open(target),
      },
    ];
  });
  const shown = new Set(recent.map(({ id }) => id));
  const others = (group: 'pages' | 'actions'): readonly Item[] =>
    local.filter((item) => item.group === group && !shown.has(item.id));
  return [
    { group: 'recent' as const, items: recent },
    { group: 'pages' as const, items: others('pages') },
    { group: 'actions' as const, items: others('actions') },
  ]
    .filter(({ items }) => items.length > 0)
    .map((group) => ({ ...group, count: group.items.length }));
}
