import { queryOptions } from '@tanstack/react-query';
import type { Setting } from '../../../../src/pages/console/settings/contract.ts';
import type { Body, Payload } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  Applied,
  HookTest,
  MailSource,
  Mails,
  ProviderTest,
  RunningServer,
  RunningState,
  Section,
  Setting,
  SettingFault,
  Settings,
  SettingsFile,
  SettingsPreview as Preview,
  SettingValue,
} from '../../../../src/pages/console/settings/contract.ts';

export type SettingsPage = Payload<'GET /settings'>['pages'][number];
export type Part = SettingsPage['parts'][number];
export type Change = Body<'POST /settings'>['changes'][number];
export type TemplateEdit = NonNullable<Body<'POST /settings'>['templates']>[number];

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => fetchConsole('GET /settings', { signal }),
  // Refetching could change values while the operator edits them.
  refetchOnWindowFocus: false,
});

export const runningQuery = queryOptions({
  queryKey: ['settings', 'running'],
  queryFn: ({ signal }) => fetchConsole('GET /settings/running', { signal }),
  refetchOnWindowFocus: true,
  staleTime: 0,
  retry: false,
});

/** Fetches the errors that the configuration would have after these changes. */
export const checkQuery = (changes: readonly Change[]) =>
  queryOptions({
    queryKey: ['settings-check', changes],
    queryFn: async ({ signal }) => {
      const { faults } = await fetchConsole('POST /settings/check', { body: { changes }, signal });
      return { changes, faults };
    },
    enabled: changes.length > 0,
    gcTime: 0,
    retry: false,
  });

export const keyOf = ({ path }: Pick<Setting, 'path'>): string => path.join('.');

export const mailsQuery = queryOptions({
  queryKey: ['settings-mails'],
  queryFn: ({ signal }) => fetchConsole('GET /settings/mails', { signal }),
});

export const mailQuery = (name: string) =>
  queryOptions({
    queryKey: ['settings-mails', name],
    queryFn: ({ signal }) => fetchConsole('GET /settings/mails/:name', { params: { name }, signal }),
    refetchOnWindowFocus: false,
    staleTime: 0,
  });

export interface SettingsSearch {
  /** The ID of the page. */
  readonly section?: string;
  /** The key of the setting to show. */
  readonly setting?: string;
  readonly search?: string;
  /** The name of the email whose template is open. */
  readonly mail?: string;
}

const text = (value: unknown): value is string => typeof value === 'string' && value !== '';

export function validateSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  return {
    ...(text(search.section) ? { section: search.section } : {}),
    ...(text(search.setting) ? { setting: search.setting } : {}),
    ...(text(search.search) ? { search: search.search } : {}),
    ...(text(search.mail) && /^[a-z_]+$/.test(search.mail) ? { mail: search.mail } : {}),
  };
}
