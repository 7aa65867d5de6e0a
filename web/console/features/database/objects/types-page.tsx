/** Lists enums, domains, composite types and range types, and creates and changes them. */
import { Button } from '@mantine/core';
import { IconList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import list from '../../../components/list.module.css';
import { Tag } from '../../../components/tag.tsx';
import { type EnumType, enumsQuery } from '../../tables/schema/api.ts';
import { type ChangeSearch, merged } from '../list-tools.tsx';
import { ObjectList } from '../object-list.tsx';
import parts from '../parts.module.css';
import { type TypeRow, typesQuery } from './api.ts';
import { CompositePanel, NewComposite } from './composite-panel.tsx';
import { DomainPanel, NewDomain } from './domain-panel.tsx';
import { EnumPanel, NewEnum } from './enum-panel.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/database/types');

type Listed = (EnumType & { readonly kind: 'enum' }) | TypeRow;

const keyOf = ({ schema, name }: Listed): string => `${schema}.${name}`;
const kinds = ['enum', 'domain', 'composite'] as const;

export function TypesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const enums = useQuery(enumsQuery);
  const others = useQuery(typesQuery);
  const mayWrite = useMay('write');
  const [created, setCreated] = useState<(typeof kinds)[number]>();
  const data =
    enums.data === undefined || others.data === undefined ? undefined : sorted(enums.data, others.data);
  const change: ChangeSearch = (next) =>
    void navigate({ search: (previous) => merged(previous, next), replace: !('open' in next) });
  const opened = data?.find((each) => keyOf(each) === search.open);
  const close = (): void => setCreated(undefined);
  return (
    <>
      <ObjectList<Listed>
        texts={{
          title: t('types.title'),
          search: t('types.search'),
          none: t('types.none'),
          noneText: t('types.none-text'),
        }}
        icon={<IconList size={22} stroke={1.75} />}
        query={{ data, error: enums.error ?? others.error } as { data: readonly Listed[]; error: null }}
        search={search}
        nameOf={keyOf}
        onChange={change}
        actions={
          mayWrite
            ? kinds.map((kind) => (
                <Button
                  key={kind}
                  size="compact-sm"
                  variant={kind === 'enum' ? 'filled' : 'default'}
                  onClick={() => setCreated(kind)}
                >
                  {t(`types.new-${kind}`)}
                </Button>
              ))
            : null
        }
      >
        {(shown) => <TypeTable types={shown} open={search.open} onOpen={(key) => change({ open: key })} />}
      </ObjectList>
      {opened === undefined ? null : <TypePanel type={opened} onClose={() => change({ open: undefined })} />}
      {created === 'enum' ? <NewEnum onClose={close} /> : null}
      {created === 'domain' ? <NewDomain onClose={close} /> : null}
      {created === 'composite' ? <NewComposite onClose={close} /> : null}
    </>
  );
}

function sorted(enums: readonly EnumType[], others: readonly TypeRow[]): Listed[] {
  const all: Listed[] = [...enums.map((each) => ({ ...each, kind: 'enum' as const })), ...others];
  return all.sort((left, right) => keyOf(left).localeCompare(keyOf(right)));
}

function TypePanel({ type, onClose }: { type: Listed; onClose: () => void }) {
  if (type.kind === 'enum') return <EnumPanel key={keyOf(type)} type={type} onClose={onClose} />;
  if (type.kind === 'domain') return <DomainPanel key={keyOf(type)} type={type} onClose={onClose} />;
  return <CompositePanel key={keyOf(type)} type={type} onClose={onClose} />;
}

function TypeTable({
  types,
  open,
  onOpen,
}: {
  types: readonly Listed[];
  open: string | undefined;
  onOpen: (key: string) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('types.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('types.type')}</th>
          <th scope="col">{t('types.kind')}</th>
          <th scope="col" className={list.wide}>
            {t('types.definition')}
          </th>
          <th scope="col" className={`${list.wide} ${list.number}`}>
            {t('types.columns')}
          </th>
        </tr>
      </thead>
      <tbody>
        {types.map((type) => (
          <tr key={keyOf(type)} data-open={keyOf(type) === open || undefined}>
            <td>
              <button
                type="button"
                className={`${parts.open} ${list.main}`}
                onClick={() => onOpen(keyOf(type))}
              >
                {keyOf(type)}
              </button>
            </td>
            <td>
              <Tag>{t(`types.kind-${type.kind}`)}</Tag>
            </td>
            <td className={`${list.wide} ${list.dim}`} title={definitionOf(type)}>
              {definitionOf(type)}
            </td>
            <td className={`${list.wide} ${list.dim} ${list.number}`}>{type.columns.length}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function definitionOf(type: Listed): string {
  if (type.kind === 'enum') return type.values.join(', ');
  if (type.kind === 'composite') return type.attributes.map((each) => `${each.name} ${each.type}`).join(', ');
  return [type.base ?? '', ...type.checks.map(({ definition }) => definition)].join(' ');
}
