/**
 * Shows a connection with its metadata check, its domains and its attribute mapping. The connection can be changed and
 * removed.
 */
import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Copyable } from '../../../../ui/copyable.tsx';
import { Notice } from '../../../../ui/notice.tsx';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Fact, Facts } from '../../../components/facts.tsx';
import { JsonBlock } from '../../../components/json-block.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { useDirty } from '../../../components/unsaved.tsx';
import { type SsoConnection, ssoQuery } from '../api.ts';
import { jsonObjectOf } from '../json-object.ts';
import { t } from '../text.ts';
import { CheckResult } from './check-result.tsx';
import {
  DomainField,
  domainsOf,
  MappingField,
  SourceFields,
  type SourceText,
  sourceOf,
} from './source-fields.tsx';
import classes from './sso.module.css';

export function ConnectionDetails({
  connection,
  onRemoved,
}: {
  connection: SsoConnection;
  onRemoved: () => void;
}) {
  const mayWrite = useMay('write');
  const params = { id: connection.id };
  const check = useMutation({ mutationFn: () => fetchConsole('POST /sso/:id/check', { params }) });
  return (
    <div className={classes.details}>
      <Facts>
        <Fact label={t('sso.entity-id')}>
          <Copyable value={connection.entityId} what={t('sso.entity-id')} />
        </Fact>
        <Fact label={t('sso.metadata')}>
          {connection.metadataUrl === null ? (
            t('sso.from-document')
          ) : (
            <Copyable value={connection.metadataUrl} what={t('sso.metadata-url')} />
          )}
        </Fact>
        <Fact label={t('sso.connection-id')}>
          <Copyable value={connection.id} what={t('sso.connection-id')} />
        </Fact>
      </Facts>
      {mayWrite ? (
        <section className={classes.check}>
          <div>
            <Button
              size="compact-sm"
              variant="default"
              loading={check.isPending}
              onClick={() => check.mutate()}
            >
              {t('sso.check')}
            </Button>
          </div>
          {check.error === null ? null : <ProblemBox error={check.error} />}
          <div role="status">{check.data === undefined ? null : <CheckResult check={check.data} />}</div>
        </section>
      ) : null}
      {mayWrite ? (
        <ConnectionForm connection={connection} onRemoved={onRemoved} />
      ) : (
        <>
          <Facts>
            <Fact label={t('sso.domains')}>{connection.domains.join(', ') || t('users.none')}</Fact>
          </Facts>
          <JsonBlock value={connection.mapping} what={t('sso.mapping')} />
        </>
      )}
    </div>
  );
}

const textOf = (mapping: object): string =>
  Object.keys(mapping).length === 0 ? '' : JSON.stringify(mapping, null, 2);

function ConnectionForm({ connection, onRemoved }: { connection: SsoConnection; onRemoved: () => void }) {
  const queryClient = useQueryClient();
  const params = { id: connection.id };
  const kind = connection.metadataUrl === null ? 'xml' : 'url';
  const [source, setSource] = useState<SourceText>({ kind, text: connection.metadataUrl ?? '' });
  const [domains, setDomains] = useState(connection.domains.join(', '));
  const [mapping, setMapping] = useState(textOf(connection.mapping));
  const [isDisabled, setDisabled] = useState(connection.disabled);
  const [isBad, setBad] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ssoQuery.queryKey });
  const isSourceChanged = source.text.trim() !== '' && source.text !== connection.metadataUrl;
  const save = useMutation({
    mutationFn: async (keys: Record<string, object>) => {
      const own = isSourceChanged ? sourceOf(source) : undefined;
      await fetchConsole('PUT /sso/:id', {
        params,
        body: {
          ...(own === undefined ? {} : { source: own }),
          disabled: isDisabled,
          domains: domainsOf(domains),
          mapping: keys,
        },
      });
    },
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: () => fetchConsole('DELETE /sso/:id', { params }),
    onSuccess: async () => {
      onRemoved();
      await refresh();
    },
  });
  useDirty(
    !save.isPending &&
      (isSourceChanged ||
        isDisabled !== connection.disabled ||
        domainsOf(domains).join() !== connection.domains.join() ||
        mapping !== textOf(connection.mapping)),
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    const keys = mapping.trim() === '' ? {} : jsonObjectOf(mapping);
    setBad(keys === undefined);
    if (keys !== undefined && !save.isPending) save.mutate(keys as Record<string, object>);
  }

  return (
    <>
      <form className={classes.details} onSubmit={submit}>
        <DomainField value={domains} onChange={setDomains} />
        <MappingField value={mapping} isBad={isBad} onChange={setMapping} />
        <SourceFields source={source} isRequired={false} onChange={setSource} />
        <Checkbox
          label={t('sso.disable')}
          description={t('sso.disable-why')}
          checked={isDisabled}
          onChange={(event) => setDisabled(event.currentTarget.checked)}
        />
        {save.error === null ? null : <ProblemBox error={save.error} />}
        <div role="status">
          {save.isSuccess ? (
            <Notice tone="success">
              <p>{t('sso.saved')}</p>
            </Notice>
          ) : null}
        </div>
        <div className={classes.buttons}>
          <Button size="sm" variant="default" onClick={() => setRemoving(true)}>
            {t('sso.remove')}
          </Button>
          <Button size="sm" type="submit" loading={save.isPending}>
            {t('sso.save')}
          </Button>
        </div>
      </form>
      {isRemoving ? (
        <Confirm
          title={t('sso.remove')}
          action={t('sso.remove')}
          typed={connection.domains[0] ?? connection.entityId}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          <p>{t('sso.remove-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
