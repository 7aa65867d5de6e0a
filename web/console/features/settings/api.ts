/** The settings page's queries and search parameters. */
import { queryOptions } from '@tanstack/react-query';
import type { Setting } from '../../../../src/console/settings/contract.ts';
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  RenderedMail as MailTrial,
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
  // Values must not change while they are edited.
  refetchOnWindowFocus: false,
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
    // The template's file may be open in an editor.
    refetchOnWindowFocus: true,
    staleTime: 0,
  });

export interface SettingsSearch {
  readonly section?: string;
  readonly search?: string;
  /** The mail in the preview. */
  readonly mail?: string;
}

export function validateSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  return {
    ...(typeof search.section === 'string' && search.section !== '' ? { section: search.section } : {}),
    ...(typeof search.search === 'string' && search.search !== '' ? { search: search.search } : {}),
    ...(typeof search.mail === 'string' && /^[a-z_]+$/.test(search.mail) ? { mail: search.mail } : {}),
  };
}
