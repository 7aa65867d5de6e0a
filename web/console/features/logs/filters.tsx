import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import '@mantine/core/styles/Switch.layer.css';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { NodeSelect } from '../../components/asked-nodes.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { type AskedNodes, everything, type LogFilter } from './api.ts';
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
const ranges = ['15', '60', '360', '1440'];

export function Filters({
  filter,
  nodes,
  onChange: set,
  isLive,
  onLive,
}: {
  filter: LogFilter;
  nodes: AskedNodes | undefined;
  onChange: (name: keyof LogFilter, value: string) => void;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
}) {
  const hidden = [filter.path, filter.user, filter.requestId, filter.level].some(
    (value) => value !== undefined,
  );
  const [isOpen, setOpen] = useState(hidden);
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
          value={filter.minutes ?? ''}
          data={[
            { value: '', label: t('logs.any-time') },
            ...ranges.map((value) => ({ value, label: rangeText(Number(value)) })),
          ]}
          onChange={(event) => set('minutes', event.currentTarget.value)}
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
      </div>
      {isOpen ? (
        <div className={classes.moreFilters}>
          <TextFilter
            label={t('logs.path')}
            value={filter.path ?? ''}
            onChange={(value) => set('path', value)}
          />
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
  minutes % 60 === 0 ? t('logs.hours', { count: minutes / 60 }) : t('logs.minutes', { count: minutes });

function TextFilter({
  label,
  value,
  onChange,
  isSearch = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isSearch?: boolean;
}) {
  const [text, setText] = useDebounced(value, onChange);
  return (
    <TextInput
      className={classes.text}
      size="xs"
      type={isSearch ? 'search' : 'text'}
      aria-label={label}
      placeholder={label}
      value={text}
      autoComplete="off"
      {...(isSearch ? { leftSection: <IconSearch size={14} aria-hidden /> } : {})}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
