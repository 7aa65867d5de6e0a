/** The menu for narrow windows, which is loaded when it is first opened. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useModalLayer } from '../components/keyboard/modal-layer.ts';
import { t } from '../text.ts';
import classes from './shell.module.css';

export default function MenuDrawer({
  title,
  onClose,
  children,
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const { root, isTop } = useModalLayer();
  return (
    <Drawer
      ref={root}
      opened
      onClose={() => {
        if (isTop()) onClose();
      }}
      size="17rem"
      title={title}
      lockScroll={false}
      transitionProps={{ duration: 120 }}
      closeButtonProps={{ 'aria-label': t('panel.close') }}
      classNames={{ content: classes.drawer, body: classes.drawerBody }}
    >
      {children}
    </Drawer>
  );
}
