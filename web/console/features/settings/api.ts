/** Calls about settings. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export type SettingsFile = 'config.toml' | 'plinth.toml';
export type SettingValue = string | number | boolean | readonly string[];

export interface Setting {
  readonly file: SettingsFile;
  readonly path: readonly string[];
  readonly type:
    | 'boolean'
    | 'integer'
    | 'port'
    | 'text'
    | 'secret'
    | 'enum'
    | 'duration'
    | 'size'
    | 'list'
    | 'path';
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly default: string | null;
  readonly help: string;
  readonly value: SettingValue | null;
  readonly isSet: boolean;
}

export interface Section {
  readonly file: SettingsFile;
  readonly path: readonly string[];
  readonly help: string;
  readonly settings: readonly Setting[];
  /** A table whose keys the user chooses. */
  readonly names?: {
    /** What a name is, for example PHONE. */
    readonly placeholder: string;
    readonly pattern: string;
    readonly upperCase: boolean;
    /** Of a further name, which `*` stands for in their paths. */
    readonly settings: readonly Omit<Setting, 'value' | 'isSet'>[];
  };
}

export interface Settings {
  readonly stamps: Readonly<Record<SettingsFile, string>>;
  /** Changed since the server started, which is when they are read. */
  readonly waiting: readonly { readonly file: SettingsFile; readonly key: string }[];
  readonly sections: readonly Section[];
}

export interface Change {
  readonly file: SettingsFile;
  readonly path: readonly string[];
  readonly value: SettingValue | null;
}

export interface Preview {
  readonly diffs: readonly {
    readonly file: string;
    readonly lines: readonly { readonly kind: 'same' | 'added' | 'removed' | 'gap'; readonly text: string }[];
  }[];
  readonly warnings: readonly string[];
}

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => callConsole<Settings>('/settings', { signal }),
  // What is being edited must not change under the hands.
  refetchOnWindowFocus: false,
});

export const keyOf = ({ file, path }: Pick<Setting, 'file' | 'path'>): string => `${file} ${path.join('.')}`;

export const mailsQuery = queryOptions({
  queryKey: ['settings-mails'],
  queryFn: ({ signal }) => callConsole<{ names: readonly string[] }>('/settings/mails', { signal }),
});

export interface MailTrial {
  readonly subject: string;
  readonly text: string;
  /** The project's own template; null: the one that comes with the server. */
  readonly file: string | null;
  /** Why the project's own cannot be used. */
  readonly fault: string | null;
}

export const mailQuery = (name: string) =>
  queryOptions({
    queryKey: ['settings-mails', name],
    queryFn: ({ signal }) => callConsole<MailTrial>(`/settings/mails/${name}`, { signal }),
    // Its file may be open in an editor.
    refetchOnWindowFocus: true,
    staleTime: 0,
  });

export interface SettingsSearch {
  readonly section?: string;
  readonly search?: string;
  /** The mail that is shown. */
  readonly mail?: string;
}

export function validateSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  return {
    ...(typeof search.section === 'string' && search.section !== '' ? { section: search.section } : {}),
    ...(typeof search.search === 'string' && search.search !== '' ? { search: search.search } : {}),
    ...(typeof search.mail === 'string' && /^[a-z_]+$/.test(search.mail) ? { mail: search.mail } : {}),
  };
}
