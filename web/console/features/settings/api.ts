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
}

export interface Settings {
  readonly stamps: Readonly<Record<SettingsFile, string>>;
  readonly restartNeeded: boolean;
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

export interface SettingsSearch {
  readonly section?: string;
  readonly search?: string;
}

export function validateSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  return {
    ...(typeof search.section === 'string' && search.section !== '' ? { section: search.section } : {}),
    ...(typeof search.search === 'string' && search.search !== '' ? { search: search.search } : {}),
  };
}
