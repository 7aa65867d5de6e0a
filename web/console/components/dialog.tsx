import { type MantineSize, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../text.ts';
import classes from './dialog.module.css';
import { useModalLayer } from './keyboard/modal-layer.ts';

/** A dialog with a title and a close button. `dialog.module.css` contains the layout of forms in dialogs. */
export function Dialog(props: {
  title: string;
  size?: MantineSize;
  onClose: () => void;
  children: ReactNode;
}) {
  const { root, isTop } = useModalLayer();
  return (
    <Modal
      ref={root}
      opened
      size={props.size ?? 'md'}
      onClose={() => {
        if (isTop()) props.onClose();
      }}
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
