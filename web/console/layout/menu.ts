/** Defines the menu's entries with their icons. The palette and the list of shortcuts use the same entries. */
import {
  IconApi,
  IconArrowBackUp,
  IconBell,
  IconBolt,
  IconBrandGraphql,
  IconBroadcast,
  IconBucket,
  IconChartLine,
  IconClockPlay,
  IconDatabase,
  IconDatabaseExport,
  IconGauge,
  IconGitBranch,
  IconHelpCircle,
  IconHistory,
  IconHome,
  IconInbox,
  IconKey,
  IconListDetails,
  IconRobot,
  IconSchema,
  IconServer2,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconStack2,
  IconTerminal2,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { homeQuery } from '../api/queries.ts';
import { type MenuPath, type Page, pages } from '../pages.ts';

const icons: Record<MenuPath, typeof IconHome> = {
  '/': IconHome,
  '/tables': IconDatabase,
  '/sql': IconTerminal2,
  '/policies': IconShieldLock,
  '/database': IconSchema,
  '/advisors': IconShieldCheck,
  '/undo': IconArrowBackUp,
  '/migrations': IconStack2,
  '/why': IconHelpCircle,
  '/users': IconUsers,
  '/storage': IconBucket,
  '/functions': IconBolt,
  '/graphql': IconBrandGraphql,
  '/realtime': IconBroadcast,
  '/jobs': IconClockPlay,
  '/inbox': IconInbox,
  '/logs': IconListDetails,
  '/metrics': IconChartLine,
  '/queries': IconGauge,
  '/alerts': IconBell,
  '/backups': IconDatabaseExport,
  '/branches': IconGitBranch,
  '/nodes': IconServer2,
  '/reference': IconApi,
  '/keys': IconKey,
  '/agents': IconRobot,
  '/operators': IconUserShield,
  '/audit': IconHistory,
  '/settings': IconSettings,
};

const isMenuPath = (path: string): path is MenuPath => path in icons;

export const menu = Object.entries<Page>(pages).flatMap(([path, page]) =>
  page.menu !== undefined && isMenuPath(path) ? [{ to: path, Icon: icons[path], ...page.menu }] : [],
);

export type MenuEntry = (typeof menu)[number];

/** Returns the entries for this project. The embedded database has only one node. */
export function useMenu(): readonly MenuEntry[] {
  const { data } = useQuery({ ...homeQuery, refetchInterval: false });
  return data?.database.embedded === false ? menu : menu.filter(({ to }) => to !== '/nodes');
}
