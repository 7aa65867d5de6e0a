/** The forms for a foreign server and a user mapping. */
import { ActionIcon, Button, PasswordInput, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { SearchSelect } from '../../../components/search-select.tsx';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { NameInput } from '../../tables/schema/name-input.tsx';
import type { ForeignServerRow } from './api.ts';
import classes from './objects.module.css';
import { t } from './text.ts';

interface Option {
  readonly name: string;
  readonly value: string;
}

/** The options that postgres_fdw needs. Other wrappers have different options. */
const serverOptions: readonly Option[] = ['host', 'port', 'dbname'].map((name) => ({ name, value: '' }));
const mappingOptions: readonly Option[] = ['user', 'password'].map((name) => ({ name, value: '' }));

/** Options without a value are left out. */
const optionsOf = (options: readonly Option[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    options.filter(({ name, value }) => name !== '' && value !== '').map(({ name, value }) => [name, value]),
  );

/** Options whose names show that their value can be seen by people beside the operator. All others are masked. */
const visible =
  /^(?:host|port|dbname|user|schema_name|table_name|sslmode|fetch_size|.*_(?:url|region|name))$/;

function OptionFields({
  options,
  onChange,
}: {
  options: readonly Option[];
  onChange: (options: readonly Option[]) => void;
}) {
  return (
    <>
      {options.map((option, index) => {
        const Value = visible.test(option.name) ? TextInput : PasswordInput;
        const position = index + 1;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other identity while they are empty
          <div key={index} className={classes.pair}>
            <TextInput
              size="sm"
              label={t('foreign.option', { position })}
              value={option.name}
              spellCheck={false}
              autoComplete="off"
              onChange={({ currentTarget }) =>
                onChange(options.with(index, { ...option, name: currentTarget.value }))
              }
            />
            <Value
              size="sm"
              label={t('foreign.value', { position })}
              value={option.value}
              spellCheck={false}
              autoComplete="off"
              onChange={({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
                onChange(options.with(index, { ...option, value: currentTarget.value }))
              }
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('foreign.remove-option', { position })}
              onClick={() => onChange(options.toSpliced(index, 1))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onChange([...options, { name: '', value: '' }])}
        >
          {t('foreign.add-option')}
        </Button>
      </div>
    </>
  );
}

export function NewServer({ wrappers, onClose }: { wrappers: readonly string[]; onClose: () => void }) {
  const [server, setServer] = useState('');
  const [wrapper, setWrapper] = useState(wrappers[0] ?? '');
  const [options, setOptions] = useState(serverOptions);
  return (
    <ChangePanel
      title={t('foreign.new')}
      changes={
        server === '' ? undefined : [{ kind: 'create_server', server, wrapper, options: optionsOf(options) }]
      }
      onClose={onClose}
    >
      <NameInput label={t('objects.name')} value={server} onChange={setServer} />
      <SearchSelect label={t('foreign.wrapper')} value={wrapper} data={wrappers} onChange={setWrapper} />
      <OptionFields options={options} onChange={setOptions} />
    </ChangePanel>
  );
}

export function NewMapping({
  server: { name: server, mappings },
  roles,
  onClose,
}: {
  server: ForeignServerRow;
  roles: readonly string[];
  onClose: () => void;
}) {
  const free = ['public', ...roles].filter((name) => !mappings.some(({ role }) => role === name));
  const [role, setRole] = useState(free.includes('postgres') ? 'postgres' : (free[0] ?? ''));
  const [options, setOptions] = useState(mappingOptions);
  return (
    <ChangePanel
      title={t('foreign.map-title', { server })}
      changes={
        role === '' ? undefined : [{ kind: 'create_user_mapping', server, role, options: optionsOf(options) }]
      }
      onClose={onClose}
    >
      <SearchSelect
        label={t('foreign.role')}
        description={t('foreign.role-why')}
        value={role}
        data={free.map((value) => ({ value, label: value === 'public' ? t('foreign.public') : value }))}
        onChange={setRole}
        isFocused
      />
      <OptionFields options={options} onChange={setOptions} />
    </ChangePanel>
  );
}
