/** The filters of the users page. Every change is written to the URL immediately. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { providersQuery } from './api.ts';
import classes from './filter-bar.module.css';
import { choices, type DateField, dates, type UsersSearch } from './search.ts';
import { t } from './text.ts';
import { providerName } from './user-table.tsx';

export function FilterBar({
  id,
  search,
  onChange,
}: {
  id: string;
  search: UsersSearch;
  onChange: (changes: Partial<Record<keyof UsersSearch, string | undefined>>) => void;
}) {
  const { data: providers = [] } = useQuery(providersQuery);
  const all = search.provider === undefined ? providers : [...new Set([...providers, search.provider])];
  return (
    <section id={id} className={classes.bar} aria-label={t('users.filters')}>
      {choices.map((name) => (
        <NativeSelect
          key={name}
          size="xs"
          label={t(`users.filter-${name}`)}
          value={search[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.currentTarget.value || undefined })}
          data={[
            { value: '', label: t('users.filter-any') },
            { value: 'yes', label: t(name === 'signedIn' ? 'users.filter-ever' : 'users.filter-yes') },
            { value: 'no', label: t(name === 'signedIn' ? 'users.filter-never' : 'users.filter-no') },
          ]}
        />
      ))}
      <NativeSelect
        size="xs"
        label={t('users.filter-provider')}
        value={search.provider ?? ''}
        onChange={(event) => onChange({ provider: event.currentTarget.value || undefined })}
        data={[
          { value: '', label: t('users.filter-any') },
          ...all.map((provider) => ({
            value: provider,
            label: provider.startsWith('sso:')
              ? `${providerName(provider)} ${provider.slice(4, 12)}`
              : provider,
          })),
        ]}
      />
      {dates.map((name) => (
        <DateInput key={name} name={name} search={search} onChange={(value) => onChange({ [name]: value })} />
      ))}
      <Button
        size="xs"
        variant="subtle"
        className={classes.clear}
        onClick={() =>
          onChange(Object.fromEntries([...choices, ...dates, 'provider'].map((name) => [name, undefined])))
        }
      >
        {t('users.filters-clear')}
      </Button>
    </section>
  );
}

function DateInput({
  name,
  search,
  onChange,
}: {
  name: DateField;
  search: UsersSearch;
  onChange: (value: string | undefined) => void;
}) {
  return (
    <TextInput
      size="xs"
      type="date"
      label={t(`users.filter-${name}`)}
      value={search[name] ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
