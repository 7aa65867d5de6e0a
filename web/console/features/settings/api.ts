import { queryOptions } from '@tanstack/react-query';
import type { Setting } from '../../../../src/console/settings/contract.ts';
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  Applied,
  RenderedMail as MailTrial,
  RunningState,
  Section,
  Setting,
  Settings,
  SettingsFile,
  SettingsPreview as Preview,
  SettingValue,
} from '../../../../src/console/settings/contract.ts';

export type Change = Body<'POST /settings'>['changes'][number];

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

export const keyOf = ({ file, path }: Pick<Setting, 'file' | 'path'>): string => `${file} ${path.join('.')}`;

export const mailsQuery = queryOptions({
  queryKey: ['settings-mails'],
  queryFn: ({ signal }) => fetchConsole('GET /settings/mails', { signal }),
});

export const mailQuery = (name: string) =>
  queryOptions({
    queryKey: ['settings-mails', name],
    queryFn: ({ signal }) => fetchConsole('GET /settings/mails/:name', { params: { name }, signal }),
    // The template may be edited outside the Console, so it is fetched again when the window receives focus.
    refetchOnWindowFocus: true,
    staleTime: 0,
  });

export interface SettingsSearch {
  readonly section?: string;
  readonly search?: string;
  /** The name of the email whose preview is open. */
  readonly mail?: string;
}

export function validateSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  return {
    ...(typeof search.section === 'string' && search.section !== '' ? { section: search.section } : {}),
    ...(typeof search.search === 'string' && search.search !== '' ? { search: search.search } : {}),
    ...(typeof search.mail === 'string' && /^[a-z_]+$/.test(search.mail) ? { mail: search.mail } : {}),
  };
}
