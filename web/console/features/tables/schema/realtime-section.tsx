/** Shows whether Realtime sends the table's changes, and which old values they contain. */
import { Button, Switch } from '@mantine/core';
import '@mantine/core/styles/Switch.layer.css';
import { Link } from '@tanstack/react-router';
import type { Relation } from '../../../api/types.ts';
import type { Structure } from './api.ts';
import { Section } from './structure-item.tsx';
import classes from './structure-page.module.css';
import type { OpenPanel } from './structure-panel.tsx';
import { t } from './text.ts';

const publication = 'supabase_realtime';

export function RealtimeSection({
  relation,
  structure,
  onOpen,
}: {
  relation: Relation;
  structure: Structure;
  /** Undefined if the table can't be changed. */
  onOpen: ((panel: OpenPanel) => void) | undefined;
}) {
  const { schema, name } = relation;
  const isPublished = structure.publications.includes(publication);
  const others = structure.publications.filter((each) => each !== publication);
  const isFull = structure.replica_identity === 'full';
  return (
    <Section
      title={t('schema.realtime')}
      tools={
        onOpen === undefined ? null : (
          <Switch
            size="sm"
            label={t('schema.realtime-switch')}
            checked={isPublished}
            onChange={() =>
              onOpen({
                kind: 'change',
                change: {
                  kind: isPublished ? 'unpublish_tables' : 'publish_tables',
                  publication,
                  tables: [{ schema, name }],
                },
              })
            }
          />
        )
      }
    >
      <li className={classes.item}>
        <span className={classes.itemMain}>
          {t(isPublished ? 'schema.realtime-on' : 'schema.realtime-off')}
          {others.length === 0 ? null : ` ${t('schema.publications', { names: others.join(', ') })}`}
        </span>
        <Link to="/database/publications" className={classes.itemEnd}>
          {t('schema.publications-link')}
        </Link>
      </li>
      <li className={classes.item}>
        <span className={classes.itemMain}>{t(`schema.replica-${structure.replica_identity}`)}</span>
        {onOpen === undefined ? null : (
          <Button
            size="compact-sm"
            variant="default"
            className={classes.itemEnd}
            onClick={() =>
              onOpen({
                kind: 'change',
                change: {
                  kind: 'replica_identity',
                  schema,
                  table: name,
                  identity: isFull ? 'default' : 'full',
                },
              })
            }
          >
            {t(isFull ? 'schema.replica-to-default' : 'schema.replica-to-full')}
          </Button>
        )}
      </li>
    </Section>
  );
}
