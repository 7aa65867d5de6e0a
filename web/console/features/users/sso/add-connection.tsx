import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { FormDialog } from '../../../components/form-dialog.tsx';
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

/** Adds a connection. The operator can check the metadata before the connection is stored. */
export function AddConnection({
  onClose,
  onAdded,
}: {
  onClose: () => void;
  onAdded: (connection: SsoConnection) => void;
}) {
  const queryClient = useQueryClient();
  const [source, setSource] = useState<SourceText>({ kind: 'url', text: '' });
  const [domains, setDomains] = useState('');
  const [mapping, setMapping] = useState('');
  const [isBad, setBad] = useState(false);
  const check = useMutation({
    mutationFn: (body: { url: string } | { xml: string }) => fetchConsole('POST /sso/check', { body }),
  });
  const add = useMutation({
    mutationFn: async () => {
      const own = sourceOf(source);
      const keys = mapping.trim() === '' ? {} : jsonObjectOf(mapping);
      setBad(keys === undefined);
      if (own === undefined || keys === undefined) return undefined;
      return fetchConsole('POST /sso', {
        body: { source: own, domains: domainsOf(domains), mapping: keys as Record<string, object> },
      });
    },
    onSuccess: async (added) => {
      if (added === undefined) return;
      await queryClient.invalidateQueries({ queryKey: ssoQuery.queryKey });
      onAdded(added);
    },
  });
  const own = sourceOf(source);
  return (
    <FormDialog
      title={t('sso.add')}
      action={t('sso.add')}
      isBusy={add.isPending}
      error={add.error ?? check.error}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <SourceFields
        source={source}
        isRequired
        onChange={(next) => {
          setSource(next);
          check.reset();
        }}
      />
      <div className={classes.check}>
        <div>
          <Button
            size="compact-sm"
            variant="default"
            disabled={own === undefined}
            loading={check.isPending}
            onClick={() => own !== undefined && check.mutate(own)}
          >
            {t('sso.check')}
          </Button>
        </div>
        <div role="status">{check.data === undefined ? null : <CheckResult check={check.data} />}</div>
      </div>
      <DomainField value={domains} onChange={setDomains} />
      <MappingField value={mapping} isBad={isBad} onChange={setMapping} />
    </FormDialog>
  );
}
