/** Defines the menu's entries with their icons. The palette and the list of shortcuts use the same entries. */
import {
  IconApi,
  IconBolt,
  IconBroadcast,
  IconBucket,
  IconChartLine,
  IconClockPlay,
  IconDatabase,
  IconDatabaseExport,
  IconGauge,
  IconHelpCircle,
  IconHistory,
  IconHome,
  IconInbox,
  IconKey,
  IconListDetails,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconStack2,
  IconTerminal2,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react';
import { type MenuPath, type Page, pages } from '../pages.ts';

const icons: Record<MenuPath, typeof IconHome> = {
  '/': IconHome,
  '/tables': IconDatabase,
  '/sql': IconTerminal2,
  '/policies': IconShieldLock,
  '/advisors': IconShieldCheck,
  '/migrations': IconStack2,
  '/why': IconHelpCircle,
  '/users': IconUsers,
  '/storage': IconBucket,
  '/functions': IconBolt,
  '/realtime': IconBroadcast,
  '/jobs': IconClockPlay,
  '/inbox': IconInbox,
  '/logs': IconListDetails,
  '/metrics': IconChartLine,
  '/queries': IconGauge,
  '/backups': IconDatabaseExport,
  '/reference': IconApi,
  '/keys': IconKey,
  '/operators': IconUserShield,
  '/audit': IconHistory,
  '/settings': IconSettings,
};

const isMenuPath = (path: string): path is MenuPath => path in icons;

export const menu = Object.entries<Page>(pages).flatMap(([path, page]) =>
  page.menu !== undefined && isMenuPath(path) ? [{ to: path, Icon: icons[path], ...page.menu }] : [],
);
