/** Stores the operator's changes, and checks them on the server while the operator edits them. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useMay } from '../../api/session.ts';
import {
  type Change,
  checkQuery,
  keyOf,
  type Setting,
  type SettingFault,
  type Settings,
  type TemplateEdit,
} from './api.ts';
import type { SettingsForm } from './form.ts';

export interface FormState {
  readonly form: SettingsForm | undefined;
  readonly changes: readonly Change[];
  /** The errors of the current changes. */
  readonly faults: readonly SettingFault[];
  reset(): void;
}

const anyName = '*';
const fits = (path: readonly string[], pattern: readonly string[]): boolean =>
  path.length === pattern.length && pattern.every((part, index) => part === anyName || part === path[index]);

export function useForm(data: Settings | undefined, target: string | undefined): FormState {
  const mayWrite = useMay('write');
  const isOwner = useMay('own');
  const [changed, setChanged] = useState<ReadonlyMap<string, Change>>(new Map());
  const [templates, setTemplates] = useState<ReadonlyMap<string, TemplateEdit>>(new Map());
  const changes = useMemo(() => [...changed.values()], [changed]);
  const { shown, current } = useFaults(changes);
  const settings = useMemo(() => settingsIn(data), [data]);

  const form = useMemo((): SettingsForm | undefined => {
    if (data === undefined) return undefined;
    const messages = new Map(shown.map(({ key, message }) => [key, message]));
    const edit = (key: string, change: Change | undefined): void =>
      setChanged((previous) => withEntry(previous, key, change));
    return {
      data,
      target,
      mayWrite,
      isOwner,
      templates,
      changedKeys: [...changed.keys()],
      settingOf: (key) => settings.get(key),
      tablesOf: (path) =>
        data.sections.filter((one) => one.names !== undefined && fits(one.path, path.split('.'))),
      valueOf: (setting) => {
        const change = changed.get(keyOf(setting));
        if (change?.usesProject) return setting.project?.value ?? null;
        return change === undefined ? setting.value : change.value;
      },
      isChanged: (key) => changed.has(key),
      faultOf: (key) => messages.get(key),
      missingFor: (key) => {
        const reasons = [`because ${key} is true`, `because ${key.replace(/\.enabled$/, '')} is enabled`];
        return shown
          .filter(({ message }) => reasons.some((reason) => message.endsWith(reason)))
          .map((fault) => settings.get(fault.key)?.label ?? fault.key);
      },
      lockOf: (setting) =>
        !mayWrite
          ? 'role'
          : !isOwner && setting.changedBy === 'owner'
            ? 'owner'
            : setting.override === null
              ? undefined
              : 'override',
      change: (setting, value) => {
        const isBack =
          JSON.stringify(value) === JSON.stringify(setting.value) && setting.isSet === (value !== null);
        edit(keyOf(setting), isBack ? undefined : { file: setting.file, path: setting.path, value });
      },
      restoreProject: ({ file, path }) =>
        edit(keyOf({ path }), { file, path, value: null, usesProject: true }),
      usesProject: (key) => changed.get(key)?.usesProject === true,
      undo: (key) => edit(key, undefined),
      changeTemplate: (name, next) => setTemplates((previous) => withEntry(previous, name, next)),
    };
  }, [data, target, mayWrite, isOwner, templates, changed, shown, settings]);

  return {
    form,
    changes,
    faults: current,
    reset: () => {
      setChanged(new Map());
      setTemplates(new Map());
    },
  };
}

/**
 * Returns all settings by key. These include the settings in tables with user-chosen names, and the templates for such
 * tables, whose keys contain `*`.
 */
function settingsIn(data: Settings | undefined): ReadonlyMap<string, Setting> {
  const found = new Map<string, Setting>();
  for (const section of data?.sections ?? []) {
    for (const setting of section.settings) found.set(keyOf(setting), setting);
    for (const setting of section.names?.settings ?? []) found.set(keyOf(setting), { ...setting, ...absent });
  }
  return found;
}

/** The values of a setting that isn't in the file. */
export const absent = { value: null, isSet: false, project: null, override: null, reference: null } as const;

const pauseMs = 150;
const none: readonly SettingFault[] = [];

/**
 * Returns the errors of the changes, which the server checks after a short pause. `shown` also contains the previous
 * errors of settings that are being edited, which prevents flicker. `current` doesn't contain previous errors.
 */
function useFaults(changes: readonly Change[]) {
  const [checked, setChecked] = useState(changes);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(changes), pauseMs);
    return () => clearTimeout(timer);
  }, [changes]);
  const { data } = useQuery({ ...checkQuery(checked), placeholderData: keepPreviousData });
  return useMemo(() => {
    if (data === undefined || changes.length === 0) return { shown: none, current: none };
    const before = new Map(data.changes.map((change) => [keyOf(change), change]));
    const now = new Map(changes.map((change) => [keyOf(change), change]));
    return {
      shown: data.faults.filter(({ key }) => now.has(key) || !before.has(key)),
      current: data.faults.filter(({ key }) => now.get(key) === before.get(key)),
    };
  }, [data, changes]);
}

function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value | undefined,
): ReadonlyMap<string, Value> {
  const next = new Map(map);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
}
