import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../text.ts';
import classes from './side-panel.module.css';

/** What is open beside the page. Closing gives the focus back to where it came from. */
export function SidePanel({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={wide ? '44rem' : '32rem'}
      title={title}
      closeButtonProps={{ 'aria-label': t('panel.close') }}
      overlayProps={{ backgroundOpacity: 0.35 }}
      transitionProps={{ duration: 120 }}
      lockScroll={false}
      classNames={{
        content: classes.content,
        header: classes.header,
        title: classes.title,
        body: classes.body,
      }}
    >
      {children}
    </Drawer>
  );
}
