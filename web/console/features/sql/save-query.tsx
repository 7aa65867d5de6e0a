/** The dialog that saves the editor's text under a name. */
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { savedQuery } from './api.ts';
import classes from './page.module.css';
import { changeTab, type Tab } from './tabs.ts';
import { t } from './text.ts';

export function SaveQuery({ tab, onClose }: { tab: Tab; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(tab.name ?? '');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('PUT /sql/saved', { body: { name, text: tab.text } }),
    onSuccess: (saved) => {
      changeTab(tab.id, { name: saved.name });
      void queryClient.invalidateQueries({ queryKey: savedQuery.queryKey });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('sql.save-title')}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t('sql.cancel') }}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) mutate();
        }}
      >
        {error === null ? null : <ProblemBox error={error} />}
        <TextInput
          label={t('sql.save-name')}
          required
          maxLength={200}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" loading={isPending}>
          {t('sql.save')}
        </Button>
      </form>
    </Modal>
  );
}
