/** Finds pages, actions, tables, queries and documentation, which don't require a search on the server. */
import { IconBook, IconFileCode, IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { tablesQuery } from '../../api/queries.ts';
import { sessionQuery } from '../../api/session.ts';
import { savedQuery } from '../../features/sql/api.ts';
import { t as library } from '../../features/sql/library-text.ts';
import { contentOf, openTab, type TabContent } from '../../features/sql/tabs.ts';
import { templates } from '../../features/sql/templates.ts';
import { t as shell } from '../../text.ts';
import { useMenu } from '../menu.ts';
import { type ActionTools, actionItems, importAction } from './actions.tsx';
import type { DocSection } from './doc-sections.ts';
import { docsQuery } from './docs.ts';
import { t } from './text.ts';
import type { Item } from './types.ts';

const icon = (Icon: typeof IconTable) => <Icon size={18} stroke={1.75} aria-hidden />;

const isWritable = (kind: string): boolean => kind === 'table' || kind === 'partitioned table';

export function useLocalItems(tools: ActionTools, onDoc: (section: DocSection) => void): readonly Item[] {
  const { data: session } = useQuery(sessionQuery);
  const { data: tables } = useQuery(tablesQuery);
  const { data: saved } = useQuery(savedQuery);
  const { data: docs } = useQuery(docsQuery);
  const params = useParams({ strict: false });
  const menu = useMenu();
  return useMemo(() => {
    const permissions = session?.operator.permissions ?? [];
    const { open } = tools;
    const openQuery = (content: TabContent): void => open({ to: '/sql', search: { tab: openTab(content) } });
    const openTable = tables?.find(
      ({ schema, name, kind }) => schema === params.schema && name === params.table && isWritable(kind),
    );
    return [
      ...(openTable !== undefined && permissions.includes('write') ? [importAction(openTable, open)] : []),
      ...actionItems(permissions, tools),
      ...menu.map(
        ({ to, label, Icon, words }): Item => ({
          id: `page:${to}`,
          group: 'pages',
          title: shell(label),
          ...(words === undefined ? {} : { words: shell(words) }),
          icon: icon(Icon),
          target: { to },
          run: () => open({ to }),
        }),
      ),
      ...[...(tables ?? [])]
        .sort((left, right) => Number(right.schema === 'public') - Number(left.schema === 'public'))
        .map(({ schema, name, kind, comment }): Item => {
          const target = { to: '/tables/$schema/$table', params: { schema, table: name } };
          return {
            id: `table:${schema}.${name}`,
            group: 'tables',
            title: schema === 'public' ? name : `${schema}.${name}`,
            detail: comment ?? kind,
            words: name,
            icon: icon(IconTable),
            target,
            run: () => open(target),
          };
        }),
      ...(saved ?? []).map(
        (query): Item => ({
          id: `query:${query.id}`,
          group: 'queries',
          title: query.name,
          detail: t('query.saved', { owner: query.owner }),
          words: query.folder,
          icon: icon(IconFileCode),
          run: () => openQuery(contentOf(query)),
        }),
      ),
      ...templates
        .filter(({ needs }) => permissions.includes(needs))
        .map(
          ({ id, text }): Item => ({
            id: `template:${id}`,
            group: 'queries',
            title: library(`template.${id}`),
            detail: t('query.template'),
            icon: icon(IconFileCode),
            run: () => openQuery({ name: library(`template.${id}`), text }),
          }),
        ),
      ...(docs ?? []).map(
        (section): Item => ({
          id: `doc:${section.file}#${section.title}`,
          group: 'docs',
          title: section.title,
          detail: section.document,
          icon: icon(IconBook),
          run: () => onDoc(section),
        }),
      ),
    ];
  }, [session, tables, saved, docs, tools, onDoc, params, menu]);
}
