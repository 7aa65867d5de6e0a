/** The pages of the menu: only those that exist. The palette and the shortcuts list read the same table. */
import {
  IconBolt,
  IconBroadcast,
  IconBucket,
  IconChartLine,
  IconDatabase,
  IconHelpCircle,
  IconHistory,
  IconHome,
  IconInbox,
  IconKey,
  IconListDetails,
  IconSettings,
  IconShieldLock,
  IconTerminal2,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react';
import type { TextId } from '../text.ts';

export const pages = [
  { to: '/', label: 'nav.home', keys: 'h', Icon: IconHome },
  { to: '/tables', label: 'nav.tables', keys: 't', Icon: IconDatabase },
  { to: '/sql', label: 'nav.sql', keys: 's', Icon: IconTerminal2 },
  { to: '/policies', label: 'nav.policies', keys: 'p', Icon: IconShieldLock },
  { to: '/why', label: 'nav.why', keys: 'w', Icon: IconHelpCircle },
  { to: '/users', label: 'nav.users', keys: 'u', Icon: IconUsers },
  { to: '/storage', label: 'nav.storage', keys: 'b', Icon: IconBucket },
  { to: '/functions', label: 'nav.functions', keys: 'f', Icon: IconBolt },
  { to: '/realtime', label: 'nav.realtime', keys: 'r', Icon: IconBroadcast },
  { to: '/inbox', label: 'nav.inbox', keys: 'i', Icon: IconInbox },
  { to: '/logs', label: 'nav.logs', keys: 'l', Icon: IconListDetails },
  { to: '/metrics', label: 'nav.metrics', keys: 'm', Icon: IconChartLine },
  { to: '/keys', label: 'nav.keys', keys: 'k', Icon: IconKey },
  { to: '/operators', label: 'nav.operators', keys: 'o', Icon: IconUserShield },
  { to: '/audit', label: 'nav.audit', keys: 'a', Icon: IconHistory },
  { to: '/settings', label: 'nav.settings', keys: 'e', Icon: IconSettings },
] as const satisfies readonly { to: string; label: TextId; keys: string; Icon: unknown }[];
