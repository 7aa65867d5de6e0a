/** Defines the state of the settings form, which all fields of the page share. */
import { createContext, useContext } from 'react';
import type { Section, Setting, Settings, SettingValue, TemplateEdit } from './api.ts';

export interface SettingsForm {
  readonly data: Settings;
  settingOf(key: string): Setting | undefined;
  /** Returns the tables that match a path. In the path, `*` stands for any name that users choose. */
  tablesOf(path: string): readonly Section[];
  /** Returns the value with the operator's change. Returns null if the default applies. */
  valueOf(setting: Setting): SettingValue | null;
  isChanged(key: string): boolean;
  /** The keys of all changed settings. */
  readonly changedKeys: readonly string[];
  faultOf(key: string): string | undefined;
  /** Returns the labels of the missing settings that this setting requires while it is on. */
  missingFor(key: string): readonly string[];
  /** Returns why the operator can't change the setting, or undefined if they can. */
  lockOf(setting: Setting): 'role' | 'owner' | 'override' | undefined;
  /** Changes a setting. The value null restores the default. */
  change(setting: Setting, value: SettingValue | null): void;
  /** Removes the saved value, so that the value in the project's file applies. */
  restoreProject(setting: Setting): void;
  /** Whether the operator chose the value in the project's file. */
  usesProject(key: string): boolean;
  /** Discards the change. */
  undo(key: string): void;
  readonly templates: ReadonlyMap<string, TemplateEdit>;
  /** Changes the HTML of an email template. Undefined restores the saved HTML. */
  changeTemplate(name: string, edit: TemplateEdit | undefined): void;
  /** The key of the setting that was searched for. */
  readonly target: string | undefined;
  readonly mayWrite: boolean;
  readonly isOwner: boolean;
}

export const FormContext = createContext<SettingsForm | undefined>(undefined);

export function useSettingsForm(): SettingsForm {
  const form = useContext(FormContext);
  if (form === undefined) throw new Error('useSettingsForm requires a FormContext');
  return form;
}

/** Opens the review of all changes, or the first invalid setting. */
export const ReviewContext = createContext<() => void>(() => undefined);

/** Returns the ID of a setting's field. */
export const fieldId = (key: string): string => `setting-${key}`;
