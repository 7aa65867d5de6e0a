import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import '@mantine/core/styles/Switch.layer.css';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { NodeSelect } from '../../components/asked-nodes.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { type AskedNodes, everything, type LogFilter, type ShownList, shownLists } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const services = [
  'rest',
  'auth',
  'realtime',
  'storage',
  'functions',
  'jobs',
  'backup',
  'mail',
  'account',
  'console',
  'gateway',
  'database',
  'postgres',
];
const ranges = ['15', '60', '360', '1440', '10080', '43200'];
const customRange = 'custom';
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function Filters({
  filter,
  nodes,
  onChange: change,
  isLive,
  onLive,
  shown,
  onList,
  children,
}: {
  filter: LogFilter;
  nodes: AskedNodes | undefined;
  onChange: (changes: { readonly [Name in keyof LogFilter]?: string }) => void;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  shown: ShownList;
  onList: (list: ShownList) => void;
  /** Further tools at the end of the row. */
  children: ReactNode;
}) {
  const { path, method, minMs, maxMs, user, requestId, level, since, until } = filter;
  const hidden = [path, method, minMs, maxMs, user, requestId, level].some((value) => value !== undefined);
  const [isOpen, setOpen] = useState(hidden);
  const [isCustom, setCustom] = useState(false);
  const hasRange = isCustom || since !== undefined || until !== undefined;
  const set = (name: keyof LogFilter, value: string): void => change({ [name]: value });
  return (
    <>
      <div className={classes.filters}>
        <TextFilter
          label={t('logs.search')}
          value={filter.search ?? ''}
          onChange={(value) => set('search', value)}
          isSearch
        />
        <NativeSelect
          size="xs"
          aria-label={t('logs.service')}
          value={filter.service ?? ''}
          data={[
            { value: '', label: t('logs.any-service') },
            { value: everything, label: t('logs.every-service') },
            ...services.map((value) => ({ value, label: value })),
          ]}
          onChange={(event) => set('service', event.currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          aria-label={t('logs.status')}
          value={filter.status ?? ''}
          data={[
            { value: '', label: t('logs.any-status') },
            ...(['2', '3', '4', '5'] as const).map((value) => ({ value, label: t(`logs.status-${value}`) })),
            ...(filter.status !== undefined && filter.status.length > 1
              ? [{ value: filter.status, label: filter.status }]
              : []),
          ]}
          onChange={(event) => set('status', event.currentTarget.value)}
        />
        <NodeSelect nodes={nodes} value={filter.node} onChange={(value) => set('node', value)} />
        <NativeSelect
          size="xs"
          aria-label={t('logs.time')}
          value={filter.minutes ?? (hasRange ? customRange : '')}
          data={[
            { value: '', label: t('logs.any-time') },
            ...ranges.map((value) => ({ value, label: rangeText(Number(value)) })),
            { value: customRange, label: t('logs.custom-time') },
          ]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setCustom(value === customRange);
            if (value === customRange) change({ minutes: '' });
            else change({ minutes: value, since: '', until: '' });
          }}
        />
        <NativeSelect
          size="xs"
          aria-label={t('logs.list')}
          value={shown}
          data={shownLists.map((value) => ({ value, label: t(`logs.list-${value}`) }))}
          onChange={(event) => onList(event.currentTarget.value as ShownList)}
        />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconFilter size={14} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t('logs.more-filters')}
        </Button>
        <Switch
          label={t('logs.live')}
          title={t('logs.live-on')}
          checked={isLive}
          onChange={(event) => onLive(event.currentTarget.checked)}
        />
        {children}
      </div>
      {hasRange ? (
        <div className={classes.moreFilters}>
          <TimeInput label={t('logs.since')} value={since} onChange={(value) => set('since', value)} />
          <TimeInput label={t('logs.until')} value={until} onChange={(value) => set('until', value)} />
        </div>
      ) : null}
      {isOpen ? (
        <div className={classes.moreFilters}>
          <TextFilter
            label={t('logs.path')}
            value={filter.path ?? ''}
            onChange={(value) => set('path', value)}
          />
          <NativeSelect
            size="xs"
            aria-label={t('logs.method')}
            value={method ?? ''}
            data={[{ value: '', label: t('logs.any-method') }, ...methods]}
            onChange={(event) => set('method', event.currentTarget.value)}
          />
          {(['minMs', 'maxMs'] as const).map((name) => (
            <TextFilter
              key={name}
              label={t(name === 'minMs' ? 'logs.min-ms' : 'logs.max-ms')}
              value={filter[name] ?? ''}
              isNumber
              onChange={(value) => set(name, value)}
            />
          ))}
          <TextFilter
            label={t('logs.user')}
            value={filter.user ?? ''}
            onChange={(value) => set('user', value)}
          />
          <TextFilter
            label={t('logs.request')}
            value={filter.requestId ?? ''}
            onChange={(value) => set('requestId', value)}
          />
          <NativeSelect
            size="xs"
            aria-label={t('logs.level')}
            value={filter.level ?? ''}
            data={[
              { value: '', label: t('logs.any-level') },
              { value: 'warn', label: t('logs.level-warn') },
              { value: 'error', label: t('logs.level-error') },
            ]}
            onChange={(event) => set('level', event.currentTarget.value)}
          />
        </div>
      ) : null}
    </>
  );
}

export const rangeText = (minutes: number): string =>
  minutes % 60 !== 0
    ? t('logs.minutes', { count: minutes })
    : minutes > 1440
      ? t('logs.days', { count: minutes / 1440 })
      : t('logs.hours', { count: minutes / 60 });

/** An input for a local time, whose value is a time in UTC. */
function TimeInput({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <TextInput
      className={classes.moment}
      size="xs"
      type="datetime-local"
      label={label}
      value={value === undefined ? '' : localTime(value)}
      onChange={(event) => {
        const at = Date.parse(event.currentTarget.value);
        onChange(Number.isNaN(at) ? '' : new Date(at).toISOString());
      }}
    />
  );
}

/** Formats a time for an input, such as `2026-03-01T09:30`. Returns an empty text for an invalid time. */
function localTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

function TextFilter({
  label,
  value,
  onChange,
  isSearch = false,
  isNumber = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isSearch?: boolean;
  isNumber?: boolean;
}) {
  const [text, setText] = useDebounced(value, onChange);
  return (
    <TextInput
      className={isNumber ? classes.duration : classes.text}
      size="xs"
      type={isSearch ? 'search' : isNumber ? 'number' : 'text'}
      {...(isNumber ? { min: 0 } : {})}
      aria-label={label}
      placeholder={label}
      value={text}
      autoComplete="off"
      {...(isSearch ? { leftSection: <IconSearch size={14} aria-hidden /> } : {})}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
