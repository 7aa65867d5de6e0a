import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../text.ts';
import classes from './dialog.module.css';

/** A dialog with a title and a close button. `dialog.module.css` contains the layout of its form. */
export function Dialog(props: { title: string; onClose: () => void; children: ReactNode }) {
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t('panel.close') }}
      transitionProps={{ duration: 100 }}
      classNames={{ title: classes.title }}
    >
      {props.children}
    </Modal>
  );
}
